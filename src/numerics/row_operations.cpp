#include "glassformer/numerics/row_operations.hpp"

#include <algorithm>
#include <utility>

#include "glassformer/numerics/buffer.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/vectors.hpp"

namespace glassformer {
namespace {

constexpr Index kAccumulators = 16;

/// Combines the numbers of a vector: each of the first `half` with the one `half` places further, and so on.
template <class Scalar, std::size_t half, std::size_t... i>
[[gnu::always_inline]] inline Scalar fold(Vector<Scalar> vector, auto combine, std::index_sequence<i...> lanes) {
  vector = combine(vector, __builtin_shufflevector(vector, vector, (i ^ half)...));
  if constexpr (half == 1) {
    return vector[0];
  } else {
    return fold<Scalar, half / 2>(vector, combine, lanes);
  }
}

/// Reduces a row to one number, with sixteen accumulators, in one or a few vectors. step(sums, j, count) adds the
/// numbers from j on to one of these vectors. The row may have fewer (`count`); load_first fills in the rest. Then the
/// sixteen are combined into 8, 4, 2 and 1. So the bits of a result depend neither on the vector size, nor on where in
/// memory the row begins or what follows it.
template <class Scalar>
[[gnu::always_inline]] inline Scalar reduce(Index size, Scalar start, auto combine, auto step) {
  constexpr Index kSize = kLanes<Scalar>;
  constexpr Index kParts = kAccumulators / kSize;
  Vector<Scalar> sums[kParts];
  for (auto& part : sums) {
    part = Vector<Scalar>{} + start;
  }
  Index j = 0;
  for (; j + kAccumulators <= size; j += kAccumulators) {
    for (Index p = 0; p < kParts; ++p) {
      sums[p] = step(sums[p], j + p * kSize, kSize);
    }
  }
  if (j < size) {
    for (Index p = 0; p < kParts; ++p) {
      sums[p] = step(sums[p], j + p * kSize, size - j - p * kSize);
    }
  }
  for (Index half = kParts / 2; half > 0; half /= 2) {
    for (Index p = 0; p < half; ++p) {
      sums[p] = combine(sums[p], sums[p + half]);
    }
  }
  return fold<Scalar, kSize / 2>(sums[0], combine, std::make_index_sequence<kSize>());
}

constexpr auto plus = [](auto a, auto b) { return a + b; };
/// The elementwise maximum of two vectors. A NaN in b is ignored.
constexpr auto larger = [](auto a, auto b) { return a < b ? b : a; };

template <class Scalar>
Scalar sum_of(RowView<const Scalar> x) {
  return reduce(x.size(), Scalar{0}, plus,
                [=](Vector<Scalar> s, Index j, Index count) { return s + load_first<Scalar>(count, x.data() + j); });
}

template <class Scalar>
Scalar dot_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  return reduce(x.size(), Scalar{0}, plus, [=](Vector<Scalar> s, Index j, Index count) {
    return multiply_add<Scalar>(load_first<Scalar>(count, x.data() + j), load_first<Scalar>(count, y.data() + j), s);
  });
}

template <class Scalar>
double squares_of(RowView<const Scalar> x) {
  static thread_local Buffer<double> wide;
  wide.resize(1, x.size());
  std::copy(x.begin(), x.end(), wide.data());
  return dot_of<double>(wide.row(0), wide.row(0));
}

template <class Scalar>
Scalar largest_of(RowView<const Scalar> x) {
  const Vector<Scalar> lowest = Vector<Scalar>{} + kMinusInfinity<Scalar>;
  return reduce(x.size(), kMinusInfinity<Scalar>, larger, [=](Vector<Scalar> s, Index j, Index count) {
    return larger(s, load_first<Scalar>(count, x.data() + j, lowest));
  });
}

/// exp of every number in a vector. Not inlined, so that the two loops of reduce share it.
template <class Scalar>
[[gnu::noinline]] Vector<Scalar> exp_of(Vector<Scalar> x) {
  Scalar numbers[kLanes<Scalar>];
  store<Scalar>(x, numbers);
  for (Scalar& number : numbers) {
    number = exp(number);
  }
  return load(numbers);
}

/// The sum of exp(x_j - shift). The powers are passed to keep(powers, j, count), vector by vector.
template <class Scalar>
Scalar exponentials_of(RowView<const Scalar> x, Scalar shift, auto keep) {
  const Vector<Scalar> zero{};
  const Vector<Scalar> lowest = zero + kMinusInfinity<Scalar>;
  return reduce(x.size(), Scalar{0}, plus, [&](Vector<Scalar> s, Index j, Index count) {
    const Vector<Scalar> numbers = load_first<Scalar>(count, x.data() + j, lowest);
    const auto hidden = numbers == lowest;  // their exp would underflow, which takes long
    const Vector<Scalar> powers = hidden ? zero : exp_of<Scalar>(hidden ? zero : numbers - shift);
    keep(powers, j, count);
    return s + powers;
  });
}

template <class Scalar>
Scalar exponentials_in_place(RowView<Scalar> x, Scalar shift) {
  return exponentials_of<Scalar>(
      x, shift, [&](Vector<Scalar> powers, Index j, Index count) { store_first<Scalar>(count, powers, x.data() + j); });
}

template <class Scalar>
void keep_in(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) {
  const Scalar* const from = x.data();
  const std::uint8_t* const keep = kept.data();
  Scalar* const result = to.data();
  const Index size = x.size();
#ifndef __clang__  // Clang lacks this pragma. `to` may be x, but must not overlap it in any other way.
#pragma GCC ivdep
#endif
  for (Index j = 0; j < size; ++j) {
    result[j] = from[j] * (static_cast<Scalar>(keep[j]) * factor);
  }
}

}  // namespace

float sum(RowView<const float> x) { return sum_of(x); }
double sum(RowView<const double> x) { return sum_of(x); }
float dot(RowView<const float> x, RowView<const float> y) { return dot_of(x, y); }
double dot(RowView<const double> x, RowView<const double> y) { return dot_of(x, y); }
float mean(RowView<const float> x) { return sum_of(x) / static_cast<float>(x.size()); }
double mean(RowView<const double> x) { return sum_of(x) / static_cast<double>(x.size()); }
float mean_square(RowView<const float> x) { return mean_product(x, x); }
double mean_square(RowView<const double> x) { return mean_product(x, x); }
float mean_product(RowView<const float> x, RowView<const float> y) {
  return dot_of(x, y) / static_cast<float>(x.size());
}
double mean_product(RowView<const double> x, RowView<const double> y) {
  return dot_of(x, y) / static_cast<double>(x.size());
}
double sum_of_squares(RowView<const float> x) { return squares_of(x); }
double sum_of_squares(RowView<const double> x) { return squares_of(x); }
float largest(RowView<const float> x) { return largest_of(x); }
double largest(RowView<const double> x) { return largest_of(x); }
float exponentials(RowView<float> x, float shift) { return exponentials_in_place(x, shift); }
double exponentials(RowView<double> x, double shift) { return exponentials_in_place(x, shift); }
float sum_of_exponentials(RowView<const float> x, float shift) {
  return exponentials_of(x, shift, [](auto /*powers*/, Index /*j*/, Index /*count*/) {});
}
void keep(RowView<const float> x, RowView<const std::uint8_t> kept, float factor, RowView<float> to) {
  keep_in(x, kept, factor, to);
}
void keep(RowView<const double> x, RowView<const std::uint8_t> kept, double factor, RowView<double> to) {
  keep_in(x, kept, factor, to);
}

}  // namespace glassformer

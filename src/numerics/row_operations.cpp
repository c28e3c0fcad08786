#include "numerics/row_operations.hpp"

#include "numerics/functions.hpp"
#include "numerics/vectors.hpp"

namespace glassformer {
namespace {

// Rows are processed in chunks of sixteen numbers. A chunk fills one or a few vectors. The last chunk of a row is
// filled up with zeros or, for the largest number, with minus infinity. So the bits of a result depend neither on the
// vector size, nor on where in memory the row begins or what follows it.

constexpr Index kChunk = 16;

template <class Scalar>
constexpr Index kParts = kChunk / kLanes<Scalar>;  // vectors per chunk
template <class Scalar>
struct Chunk {
  Vector<Scalar> part[kParts<Scalar>];
};

/// row[j] .. row[j + 15], with `filling` in place of numbers at `size` or beyond.
template <class Scalar>
Chunk<Scalar> load_chunk(const Scalar* row, Index j, Index size, Scalar filling) {
  Chunk<Scalar> chunk;
  for (Index p = 0; p < kParts<Scalar>; ++p, j += kLanes<Scalar>)
    chunk.part[p] = load_first<Scalar>(size - j, row + j, Vector<Scalar>{} + filling);
  return chunk;
}

/// The elementwise maximum of two vectors. A NaN in b is ignored.
template <class Scalar>
Vector<Scalar> larger(Vector<Scalar> a, Vector<Scalar> b) {
  return a < b ? b : a;
}

/// Combines the numbers of a vector: each of the first `half` with the one `half` places further, and so on.
template <class Scalar, Index half = kLanes<Scalar> / 2>
Scalar fold_vector(Vector<Scalar> vector, auto combine) {
  Vector<Scalar> second = vector;
  exchange_blocks<half, Scalar>(vector, second, std::make_index_sequence<static_cast<std::size_t>(kLanes<Scalar>)>());
  vector = combine(vector, second);
  if constexpr (half == 1)
    return vector[0];
  else
    return fold_vector<Scalar, half / 2>(vector, combine);
}

/// Combines sixteen numbers into one: 8 pairs, whose numbers are 8 places apart, then 4 pairs of these, 2 and 1.
template <class Scalar>
Scalar fold(Chunk<Scalar> chunk, auto combine) {
  for (Index half = kParts<Scalar> / 2; half > 0; half /= 2)
    for (Index p = 0; p < half; ++p) chunk.part[p] = combine(chunk.part[p], chunk.part[p + half]);
  return fold_vector<Scalar>(chunk.part[0], combine);
}

template <class Scalar>
Scalar total(const Chunk<Scalar>& chunk) {
  return fold(chunk, [](Vector<Scalar> a, Vector<Scalar> b) { return a + b; });
}

// A row is summed into sixteen partial sums, and then these are added up.

template <class Scalar>
Scalar sum_of(RowView<const Scalar> x) {
  Chunk<Scalar> sums{};
  for (Index j = 0; j < x.size(); j += kChunk) {
    const Chunk<Scalar> chunk = load_chunk<Scalar>(x.data(), j, x.size(), 0);
    for (Index p = 0; p < kParts<Scalar>; ++p) sums.part[p] += chunk.part[p];
  }
  return total(sums);
}

template <class Scalar>
Scalar dot_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  Chunk<Scalar> sums{};
  for (Index j = 0; j < x.size(); j += kChunk) {
    const auto a = load_chunk<Scalar>(x.data(), j, x.size(), 0), b = load_chunk<Scalar>(y.data(), j, x.size(), 0);
    for (Index p = 0; p < kParts<Scalar>; ++p) sums.part[p] = multiply_add<Scalar>(a.part[p], b.part[p], sums.part[p]);
  }
  return total(sums);
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
  Chunk<Scalar> largest;
  for (auto& part : largest.part) part = Vector<Scalar>{} + kMinusInfinity<Scalar>;
  for (Index j = 0; j < x.size(); j += kChunk) {
    const auto chunk = load_chunk<Scalar>(x.data(), j, x.size(), kMinusInfinity<Scalar>);
    for (Index p = 0; p < kParts<Scalar>; ++p) largest.part[p] = larger<Scalar>(largest.part[p], chunk.part[p]);
  }
  return fold(largest, larger<Scalar>);
}

template <class Scalar>
Scalar exponentials_of(RowView<Scalar> x, Scalar shift) {
  Chunk<Scalar> sums{};
  for (Index j = 0; j < x.size(); j += kChunk) {
    Chunk<Scalar> chunk = load_chunk<Scalar>(x.data(), j, x.size(), kMinusInfinity<Scalar>);
    for (Index p = 0; p < kParts<Scalar>; ++p) {
      Scalar powers[kLanes<Scalar>];
      store<Scalar>(chunk.part[p], powers);
      for (Scalar& number : powers) number = number == kMinusInfinity<Scalar> ? 0 : exp(number - shift);
      chunk.part[p] = load(powers);
      sums.part[p] += chunk.part[p];
      const Index first = j + p * kLanes<Scalar>;
      store_first<Scalar>(x.size() - first, chunk.part[p], x.data() + first);
    }
  }
  return total(sums);
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
  for (Index j = 0; j < size; ++j) result[j] = from[j] * (static_cast<Scalar>(keep[j]) * factor);
}

}  // namespace

#define GLASSFORMER_ROW_OPERATIONS(Scalar)                                                                  \
  Scalar sum(RowView<const Scalar> x) { return sum_of(x); }                                                 \
  Scalar dot(RowView<const Scalar> x, RowView<const Scalar> y) { return dot_of(x, y); }                     \
  Scalar mean(RowView<const Scalar> x) { return sum_of(x) / static_cast<Scalar>(x.size()); }                \
  Scalar mean_square(RowView<const Scalar> x) { return mean_product(x, x); }                                \
  Scalar mean_product(RowView<const Scalar> x, RowView<const Scalar> y) {                                   \
    return dot_of(x, y) / static_cast<Scalar>(x.size());                                                    \
  }                                                                                                         \
  double sum_of_squares(RowView<const Scalar> x) { return squares_of(x); }                                  \
  Scalar largest(RowView<const Scalar> x) { return largest_of(x); }                                         \
  Scalar exponentials(RowView<Scalar> x, Scalar shift) { return exponentials_of(x, shift); }                \
  void keep(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) { \
    keep_in(x, kept, factor, to);                                                                           \
  }
GLASSFORMER_ROW_OPERATIONS(float)
GLASSFORMER_ROW_OPERATIONS(double)
#undef GLASSFORMER_ROW_OPERATIONS

}  // namespace glassformer

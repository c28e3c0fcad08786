#include "numerics/row_operations.hpp"

#include <cmath>

#include "numerics/vectors.hpp"

namespace glassformer {
namespace {

// Rows are processed in chunks of sixteen numbers. A chunk fills one or a few vectors, so even exp is vectorized. The
// last chunk of a row is filled up with numbers that do not change the result. So the bits of a result depend neither
// on where in memory the row begins nor on what follows it.

constexpr Index kChunk = 16;

template <class Scalar>
using Chunk = Eigen::Array<Scalar, kChunk, 1>;

/// row[j] .. row[j + 15], with `filling` in place of numbers at `size` or beyond.
template <class Scalar>
Chunk<Scalar> load_chunk(const Scalar* row, Index j, Index size, Scalar filling) {
  if (j + kChunk <= size) return Eigen::Map<const Chunk<Scalar>>(row + j);
  Chunk<Scalar> chunk;
  for (Index k = 0; k < kChunk; k += kLanes<Scalar>)
    store(load_first<Scalar>(size - j - k, row + j + k, Vector<Scalar>{} + filling), chunk.data() + k);
  return chunk;
}

/// Writes back the part of the chunk that belongs to the row.
template <class Scalar>
void store_chunk(const Chunk<Scalar>& chunk, Scalar* row, Index j, Index size) {
  for (Index k = 0; k < kChunk; k += kLanes<Scalar>)
    store_first<Scalar>(size - j - k, load(chunk.data() + k), row + j + k);
}

// A row is summed into sixteen partial sums, and then these are added up.

template <class Scalar>
Scalar sum_of(RowView<const Scalar> x) {
  Chunk<Scalar> sums = Chunk<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kChunk) sums += load_chunk<Scalar>(x.data(), j, x.size(), 0);
  return sums.sum();
}

template <class Scalar>
Scalar dot_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  Chunk<Scalar> sums = Chunk<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kChunk)
    sums += load_chunk<Scalar>(x.data(), j, x.size(), 0) * load_chunk<Scalar>(y.data(), j, x.size(), 0);
  return sums.sum();
}

// Compilers do not vectorize comparisons automatically, so these functions use vectors explicitly.

/// The elementwise maximum of two vectors. A NaN in b is ignored.
template <class Scalar>
Vector<Scalar> larger(Vector<Scalar> a, Vector<Scalar> b) {
  return a < b ? b : a;
}

/// The largest number in a vector. Each step takes the elementwise maximum of the two halves of what is left.
template <class Scalar, Index half = kLanes<Scalar> / 2>
Scalar largest_in(Vector<Scalar> vector) {
  Vector<Scalar> second = vector;
  exchange_blocks<half, Scalar>(vector, second, std::make_index_sequence<static_cast<std::size_t>(kLanes<Scalar>)>());
  vector = larger<Scalar>(vector, second);
  if constexpr (half == 1)
    return vector[0];
  else
    return largest_in<Scalar, half / 2>(vector);
}

template <class Scalar>
Scalar largest_of(RowView<const Scalar> x) {
  const auto lowest = Vector<Scalar>{} + kMinusInfinity<Scalar>;
  auto largest = lowest;
  for (Index j = 0; j < x.size(); j += kLanes<Scalar>)
    largest = larger<Scalar>(largest, load_first<Scalar>(x.size() - j, x.data() + j, lowest));
  return largest_in<Scalar>(largest);
}

template <class Scalar>
Scalar exponentials_of(RowView<Scalar> x, Scalar shift) {
  Chunk<Scalar> sums = Chunk<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kChunk) {
    const Chunk<Scalar> numbers = load_chunk<Scalar>(x.data(), j, x.size(), kMinusInfinity<Scalar>);
    Chunk<Scalar> powers = (numbers - shift).exp();
    for (Index k = 0; k < kChunk; k += kLanes<Scalar>) {  // Eigen's exp of -infinity is not 0 but tiny
      const auto number = load(numbers.data() + k), power = load(powers.data() + k);
      store(number == kMinusInfinity<Scalar> ? Vector<Scalar>{} : power, powers.data() + k);
    }
    sums += powers;
    store_chunk(powers, x.data(), j, x.size());
  }
  return sums.sum();
}

// (These three use Eigen's sums. If Eigen sums numbers straight from memory, the order depends on the row's address. If
// it sums computed numbers, the order does not; hence * 1.)

template <class Scalar>
Scalar mean_of(RowView<const Scalar> x) {
  return (x.eigen().array() * Scalar{1}).mean();
}
template <class Scalar>
Scalar mean_square_of(RowView<const Scalar> x) {
  return x.eigen().squaredNorm() / static_cast<Scalar>(x.size());
}
template <class Scalar>
Scalar mean_product_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  return x.eigen().dot(y.eigen()) / static_cast<Scalar>(x.size());
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
  Scalar mean(RowView<const Scalar> x) { return mean_of(x); }                                               \
  Scalar mean_square(RowView<const Scalar> x) { return mean_square_of(x); }                                 \
  Scalar mean_product(RowView<const Scalar> x, RowView<const Scalar> y) { return mean_product_of(x, y); }   \
  Scalar largest(RowView<const Scalar> x) { return largest_of(x); }                                         \
  Scalar exponentials(RowView<Scalar> x, Scalar shift) { return exponentials_of(x, shift); }                \
  void keep(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) { \
    keep_in(x, kept, factor, to);                                                                           \
  }
GLASSFORMER_ROW_OPERATIONS(float)
GLASSFORMER_ROW_OPERATIONS(double)
#undef GLASSFORMER_ROW_OPERATIONS

}  // namespace glassformer

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

#include "glassformer/numerics/arena.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// A buffer, view or row as an Eigen object. Eigen's own matrices and expressions are returned unchanged.
decltype(auto) as_eigen(const auto& numbers) {
  if constexpr (requires { numbers.eigen(); }) {
    return numbers.eigen();
  } else {
    return (numbers);
  }
}

/// Copies any matrix, row or expression into a new buffer.
inline auto buffer_of(const auto& numbers) {
  const auto& from = as_eigen(numbers);
  Buffer<typename std::remove_cvref_t<decltype(from)>::Scalar> buffer(from.rows(), from.cols());
  buffer.eigen() = from;
  return buffer;
}

/// Random numbers for tests, the same on every machine (those of std::uniform_real_distribution are not). All inputs
/// and parameters are random, because a gain of 1 or a bias of 0 hides mistakes.
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : generator_(seed) {}

  /// Uniform in [low, high).
  double number(double low = -1, double high = 1) {
    return low + (high - low) * static_cast<double>(generator_() >> 11) * 0x1p-53;
  }
  /// One of 0 .. count - 1.
  Index index(Index count) { return static_cast<Index>(generator_() % static_cast<std::uint64_t>(count)); }

  template <class Scalar = double>
  Buffer<Scalar> matrix(Index rows, Index cols) {
    Buffer<Scalar> numbers(rows, cols);
    fill(numbers);
    return numbers;
  }
  /// Fills a matrix, row or block, ours or Eigen's.
  void fill(auto&& numbers) {
    if constexpr (requires { numbers.eigen(); }) {
      fill(numbers.eigen());
    } else {
      using Scalar = typename std::remove_cvref_t<decltype(numbers)>::Scalar;
      for (Index i = 0; i < numbers.rows(); ++i) {
        for (Index j = 0; j < numbers.cols(); ++j) {
          numbers(i, j) = static_cast<Scalar>(number());
        }
      }
    }
  }
  template <class Scalar>
  void fill(Arena<Scalar>& arena) {
    fill(arena.values());
  }

 private:
  std::mt19937_64 generator_;
};

/// Whether two matrices (or rows) hold the same bits. NaN equals NaN, and 0 differs from -0.
inline bool same_bits(const auto& first, const auto& second) {
  const auto& a = as_eigen(first);
  const auto& b = as_eigen(second);
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return false;
  }
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const auto x = a(i, j);
      const auto y = b(i, j);
      static_assert(std::is_same_v<decltype(x), decltype(y)>);
      if (std::memcmp(&x, &y, sizeof(x)) != 0) {
        return false;
      }
    }
  }
  return true;
}

/// The largest |a - b| of two matrices (or rows). NaN if any difference is NaN; infinity if their shapes differ.
inline double largest_difference(const auto& first, const auto& second) {
  const auto& a = as_eigen(first);
  const auto& b = as_eigen(second);
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return HUGE_VAL;
  }
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const double difference = std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j)));
      if (!(difference <= largest)) {
        largest = difference;
      }
      if (std::isnan(difference)) {
        return difference;
      }
    }
  }
  return largest;
}

}  // namespace glassformer

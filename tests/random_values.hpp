#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

#include "numerics/arena.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Random numbers for tests, the same on every machine (std::uniform_real_distribution is not). Inputs and
/// parameters are filled with them throughout: a gain of 1 or a bias of 0 hides mistakes.
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
  /// A matrix, a vector or a block of one.
  void fill(auto&& numbers) {
    using Scalar = typename std::remove_cvref_t<decltype(numbers)>::Scalar;
    for (Index i = 0; i < numbers.rows(); ++i) {
      for (Index j = 0; j < numbers.cols(); ++j) numbers(i, j) = static_cast<Scalar>(number());
    }
  }
  template <class Parameters>
  void fill(Arena<Parameters>& arena) {
    fill(arena.values());
  }

 private:
  std::mt19937_64 generator_;
};

/// A layer's parameters as an arena of their own: Arena<InArena<Linear<double>::Parameters, double>>.
template <class Parameters, class Scalar_>
struct InArena : Parameters {
  using Scalar = Scalar_;
  using Parameters::Parameters;
};

/// Parameters of a layer or model, random, and room for their gradient.
template <class Parameters, class Scalar>
struct Learned {
  Arena<InArena<Parameters, Scalar>> parameters, gradient;

  /// `arguments` are what Parameters' constructor wants after the cursor.
  template <class... Arguments>
  explicit Learned(RandomValues& random, const Arguments&... arguments)
      : parameters(arguments...), gradient(arguments...) {
    random.fill(parameters);
  }
  Parameters& p() { return parameters.parameters(); }
  Parameters& grad() { return gradient.parameters(); }
};

/// Whether two matrices hold the same bits (so that NaN equals NaN, and 0 differs from -0).
inline bool same_bits(const auto& a, const auto& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const auto x = a(i, j);
      const auto y = b(i, j);
      if (std::memcmp(&x, &y, sizeof(x)) != 0) return false;
    }
  }
  return true;
}

/// The largest |a - b|; NaN if there is one.
inline double largest_difference(const auto& a, const auto& b) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const double difference = std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j)));
      if (!(difference <= largest)) largest = difference;
      if (std::isnan(difference)) return difference;
    }
  }
  return largest;
}

}  // namespace glassformer

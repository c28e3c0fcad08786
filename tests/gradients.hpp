#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/verification/gradient_check.hpp"
#include "random_values.hpp"

namespace glassformer {

/// The loss in all gradient tests: sum(y * d_y). Its derivative with respect to y is d_y, for any d_y.
inline double weighted_sum(MatrixView<const double> y, MatrixView<const double> d_y) {
  return y.eigen().cwiseProduct(d_y.eigen()).sum();
}

constexpr double kLargestGradientError = 1e-7;  // relative, in double

/// Requires that `gradient` is the derivative of loss() with respect to each number of `values`.
inline void require_gradient(const std::string& name, std::span<double> values, std::span<const double> gradient,
                             const std::function<double()>& loss, Index limit = 0) {
  const GradientError error = check_gradient(values, gradient, loss, limit);
  CAPTURE(name, error.worst, error.checked, error.kinks);
  REQUIRE(error.relative < kLargestGradientError);
}

/// An input and the gradient that backward returned for it.
struct InputGradient {
  std::string name;
  Buffer<double>& x;
  MatrixView<const double> d_x;
};
using InputGradients = std::vector<InputGradient>;

/// Checks the gradient of every parameter and of all inputs. `learned` is a SingleLayer or a whole model. It has two
/// arenas, `weights` and `gradient`.
///
/// loss() runs forward. backward() runs backward, adds to the gradient, which is not 0 at the start, and returns the
/// inputs with their gradients:
///
///   require_gradients(norm, [&] { return weighted_sum(norm->forward({}, x), d_y); },
///                     [&]() -> InputGradients { return {{"x", x, norm->backward({}, d_y)}}; });
inline void require_gradients(auto& learned, const std::function<double()>& loss,
                              const std::function<InputGradients()>& backward, Index limit = 0) {
  RandomValues(99).fill(learned.gradient);
  const RowVector<double> before = learned.gradient.values().eigen();
  loss();
  const InputGradients inputs = backward();
  const RowVector<double> gradient = learned.gradient.values().eigen() - before;

  std::vector<Matrix<double>> d_inputs;  // copies: the next forward may overwrite what backward returned
  for (const InputGradient& input : inputs) {
    d_inputs.emplace_back(input.d_x.eigen());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Buffer<double>& x = inputs[i].x;
    REQUIRE(x.view().stride() == x.cols());  // check_gradient needs rows without gaps
    REQUIRE(d_inputs[i].rows() == x.rows());
    REQUIRE(d_inputs[i].cols() == x.cols());
    const auto size = static_cast<std::size_t>(x.size());
    require_gradient(inputs[i].name, {inputs[i].x.data(), size}, {d_inputs[i].data(), size}, loss, limit);
  }
  for (const TensorPlace& tensor : learned.weights.tensors()) {
    require_gradient(tensor.name, learned.weights.values(tensor),
                     {gradient.data() + tensor.offset, static_cast<std::size_t>(tensor.size)}, loss, limit);
  }
}

/// The same without parameters.
inline void require_gradients(const std::function<double()>& loss, const std::function<InputGradients()>& backward) {
  struct {
    Arena<double> weights{std::vector<TensorPlace>()}, gradient{std::vector<TensorPlace>()};
  } no_parameters;
  require_gradients(no_parameters, loss, backward);
}

}  // namespace glassformer

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "numerics/gradient_check.hpp"
#include "random_values.hpp"

namespace glassformer {

/// The loss of all gradient tests: sum(y * d_y), whose derivative by y is d_y, whatever d_y is.
inline double weighted_sum(const auto& y, const auto& d_y) { return y.cwiseProduct(d_y).sum(); }

constexpr double kLargestGradientError = 1e-7;  // relative, in double

/// `gradient` is the derivative of loss() by each number of `values`.
inline void require_gradient(const std::string& name, std::span<double> values, std::span<const double> gradient,
                             const std::function<double()>& loss, Index limit = 0) {
  const GradientError error = check_gradient(values, gradient, loss, limit);
  CAPTURE(name, error.worst, error.written, error.measured, error.checked, error.kinks);
  REQUIRE(error.relative < kLargestGradientError);
}

/// An input of a layer and where backward puts its gradient.
struct Input {
  std::string name;
  Buffer<double>& x;
  const Buffer<double>& d_x;
};

/// Checks the gradients of all inputs and of every parameter tensor.
///
/// loss runs the layer forward. backward(grad) runs it backward and adds to grad, which is not 0 at the beginning:
/// parameter gradients are added, those of inputs are written over.
template <class Parameters>
void require_gradients(Learned<Parameters, double>& learned, const std::function<double()>& loss,
                       const std::function<void(Parameters& grad)>& backward, const std::vector<Input>& inputs,
                       Index limit = 0) {
  RandomValues random(99);
  random.fill(learned.gradient);
  const Eigen::ArrayXd before = learned.gradient.values();
  loss();
  backward(learned.grad());
  const Eigen::ArrayXd gradient = learned.gradient.values() - before;

  for (const Input& input : inputs) {
    REQUIRE(input.x.outerStride() == input.x.cols());  // what is checked lies in one piece
    REQUIRE(input.d_x.rows() == input.x.rows());
    REQUIRE(input.d_x.cols() == input.x.cols());
    const Matrix<double> d_x = input.d_x;
    require_gradient(input.name, {input.x.data(), static_cast<std::size_t>(input.x.size())},
                     {d_x.data(), static_cast<std::size_t>(d_x.size())}, loss, limit);
  }
  for (const TensorPlace& tensor : learned.parameters.tensors()) {
    const auto size = static_cast<std::size_t>(tensor.size);
    require_gradient(tensor.name, {learned.parameters.values(tensor).data(), size},
                     {gradient.data() + tensor.offset, size}, loss, limit);
  }
}

/// The same for what has no parameters.
inline void require_gradients(const std::function<double()>& loss, const std::function<void()>& backward,
                              const std::vector<Input>& inputs) {
  struct Nothing {
    explicit Nothing(ArenaCursor<double>&) {}
  };
  RandomValues random(99);
  Learned<Nothing, double> nothing(random);
  require_gradients<Nothing>(nothing, loss, [&](Nothing&) { backward(); }, inputs);
}

}  // namespace glassformer

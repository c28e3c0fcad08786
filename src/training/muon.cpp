#include "glassformer/training/muon.hpp"

#include <algorithm>
#include <cmath>

#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void orthogonalize(Buffer<Scalar>& x, NewtonSchulzMemory<Scalar>& memory) {
  constexpr auto a = static_cast<Scalar>(3.4445);
  constexpr auto b = static_cast<Scalar>(-4.7750);
  constexpr auto c = static_cast<Scalar>(2.0315);
  constexpr auto tiny = static_cast<Scalar>(1e-7);
  const bool tall = x.rows() > x.cols();
  const Index n = std::min(x.rows(), x.cols());
  auto& [gram, polynomial, product] = memory;
  gram.resize(n, n);
  polynomial.resize(n, n);
  product.resize(x.rows(), x.cols());

  auto numbers = x.eigen();
  Scalar squares = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    squares += dot(x.row(i), x.row(i));
  }
  numbers /= std::max(std::sqrt(squares), tiny);
  for (int step = 0; step < 5; ++step) {
    if (tall) {
      multiply_transposed_left(x, x, gram, Result::overwrite);
    } else {
      multiply_transposed_right(x, x, gram, Result::overwrite);
    }
    multiply(gram, gram, polynomial, Result::overwrite);
    polynomial.eigen() = b * gram.eigen() + c * polynomial.eigen();
    if (tall) {
      multiply(x, polynomial, product, Result::overwrite);
    } else {
      multiply(polynomial, x, product, Result::overwrite);
    }
    numbers = a * numbers + product.eigen();
  }
}

template <std::floating_point Scalar>
void Muon<Scalar>::update(std::span<Scalar> parameters, std::span<const Scalar> gradient, Scalar scale, double rate,
                          std::span<Scalar> moments) {
  const auto momentum = static_cast<Scalar>(momentum_);
  const auto keep = static_cast<Scalar>(1 - rate * weight_decay_);
  run_tasks_with(workspaces_, static_cast<Index>(matrices_.size()), [&](Index i, Workspace& workspace) {
    const TensorPlace& place = matrices_[static_cast<std::size_t>(i)];
    const Index rows = place.shape[0];
    const Index cols = place.shape[1];
    using Map = Eigen::Map<Matrix<Scalar>>;
    Map w(parameters.data() + place.offset, rows, cols);
    Map m(moments.data() + place.offset, rows, cols);
    const Eigen::Map<const Matrix<Scalar>> g(gradient.data() + place.offset, rows, cols);
    workspace.direction.resize(rows, cols);
    const auto fresh = (1 - momentum) * scale * g;
    m = momentum * m + fresh;
    workspace.direction.eigen() = momentum * m + fresh;
    orthogonalize(workspace.direction, workspace.newton_schulz);
    const auto step = static_cast<Scalar>(rate * 0.2 * std::sqrt(static_cast<double>(std::max(rows, cols))));
    w = keep * w - step * workspace.direction.eigen();
  });
}

template void orthogonalize<float>(Buffer<float>&, NewtonSchulzMemory<float>&);
template void orthogonalize<double>(Buffer<double>&, NewtonSchulzMemory<double>&);
template class Muon<float>;
template class Muon<double>;

}  // namespace glassformer

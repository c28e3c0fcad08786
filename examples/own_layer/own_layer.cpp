// A layer of your own: RMSNorm (Zhang & Sennrich 2019), which many newer transformers use in place of layer
// normalisation. It is written like the layers in src/layers: equation, parameters, forward, backward. Then its
// gradients are compared with finite differences. The exit status is 0 if they agree.
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <string>

#include "glassformer/layers/part.hpp"
#include "glassformer/layers/pass.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "glassformer/verification/gradient_check.hpp"

using namespace glassformer;

namespace {

/// For each token separately:
///
///   x_hat = x / sqrt(mean(x^2) + epsilon)        y = gain * x_hat
///
/// Unlike layer normalisation, it does not subtract the mean and has no bias. N = rows (tokens), D = model width.
class RmsNorm {
 public:
  const VectorParameter<double> gain;  // [D]

  RmsNorm(const Part<double>& part, Index width) : gain(part.vector("weight", width, Role::gain)), name_(part.name()) {}

  /// Maps x [N, D] to y [N, D].
  const Buffer<double>& forward(const Pass& pass, const Buffer<double>& x) {
    const auto g = gain.value();
    x_hat_ = x;
    inv_rms_.resize(x.rows(), 1);
    y_.resize_like(x);
    for (Index n = 0; n < x.rows(); ++n) {
      inv_rms_(n, 0) = 1 / std::sqrt(mean_square(x.row(n)) + kEpsilon);
      scale(x_hat_.row(n), inv_rms_(n, 0));
      y_.row(n).eigen() = x_hat_.row(n).eigen().cwiseProduct(g.eigen());
    }
    pass.record(name_, "y [N, D] = {gain [1, D]} * {x_hat [N, D]}", y_, g, x_hat_);
    return y_;
  }

  /// Maps d_y [N, D] to d_x [N, D], which the caller may change: forward and backward do not read it again.
  Buffer<double>& backward(const Pass& pass, const Buffer<double>& d_y) {
    const auto g = gain.value();
    const auto d_gain = gain.gradient();
    d_xhat_.resize_like(d_y);
    d_x_.resize_like(d_y);
    for (Index n = 0; n < d_y.rows(); ++n) {
      const auto x_hat = x_hat_.row(n);
      const auto d_xhat = d_xhat_.row(n);
      // y_nj = gain_j x_hat_nj.  All rows share gain, so their gradients add up.
      d_gain.eigen() += d_y.row(n).eigen().cwiseProduct(x_hat.eigen());
      d_xhat.eigen() = d_y.row(n).eigen().cwiseProduct(g.eigen());

      // x_hat_i = x_i inv_rms,  where inv_rms = (mean(x^2) + eps)^-1/2.  x_j affects x_hat_j directly, and every
      // x_hat_i through inv_rms:
      //   dinv_rms/dx_j = -1/2 inv_rms^3 * 2 x_j / D = -inv_rms^2 x_hat_j / D
      //   d_x_j = inv_rms d_xhat_j + sum over i of d_xhat_i x_i dinv_rms/dx_j
      //         = inv_rms (d_xhat_j - x_hat_j mean(d_xhat * x_hat))         since x_i = x_hat_i / inv_rms
      const double via_rms = mean_product(d_xhat, x_hat);
      for (Index j = 0; j < d_y.cols(); ++j) {
        d_x_(n, j) = inv_rms_(n, 0) * (d_xhat[j] - x_hat[j] * via_rms);
      }
    }
    pass.record(name_, "d_x [N, D] = {inv_rms [N, 1]} * ({d_xhat} - {x_hat} * mean(d_xhat * x_hat))", d_x_, inv_rms_,
                d_xhat_, x_hat_);
    return d_x_;
  }

 private:
  static constexpr double kEpsilon = 1e-6;

  std::string name_;
  Buffer<double> x_hat_;    // [N, D]
  Buffer<double> inv_rms_;  // [N, 1]
  Buffer<double> d_xhat_;   // [N, D]
  Buffer<double> y_;        // [N, D]
  Buffer<double> d_x_;      // [N, D]
};

void fill_randomly(std::span<double> numbers, std::mt19937& random) {
  for (double& number : numbers) {
    number = static_cast<double>(random()) / 2147483648.0 - 1;  // -1 to 1
  }
}

std::span<double> numbers_of(Buffer<double>& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

bool is_right(const char* name, std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss) {
  const GradientError error = check_gradient(values, gradient, loss);
  std::printf("%-6s %2d numbers compared, largest relative error %.1e\n", name, static_cast<int>(error.checked),
              error.relative);
  return error.relative < 1e-7;
}

}  // namespace

int main() {
  constexpr Index N = 3;
  constexpr Index D = 6;
  // A layer asks for its parameters when it is constructed; then the arenas for weights and gradient can be made.
  BoundMemory<double> memory;
  Construction<double> construction{ParameterCursor<double>(memory)};
  RmsNorm norm(Part<double>(construction, "norm", "norm."), D);
  Arena<double> weights(construction.cursor.tensors());
  Arena<double> gradient(construction.cursor.tensors());
  memory = {weights.values().data(), gradient.values().data()};

  std::mt19937 random(1);
  Buffer<double> x(N, D);
  Buffer<double> d_y(N, D);
  fill_randomly(weights.values(), random);
  fill_randomly(numbers_of(x), random);
  fill_randomly(numbers_of(d_y), random);

  // The loss is sum(y * d_y), so its derivative with respect to y is d_y.
  const auto loss = [&] { return norm.forward({}, x).eigen().cwiseProduct(d_y.eigen()).sum(); };
  loss();
  Buffer<double> d_x = norm.backward({}, d_y);  // a copy: the next forward may overwrite the layer's buffers
  const bool right = is_right("d_x", numbers_of(x), numbers_of(d_x), loss);
  return is_right("d_gain", weights.values(), gradient.values(), loss) && right ? 0 : 1;
}

#pragma once

#include <concepts>
#include <string>

#include "layers/recorder.hpp"
#include "numerics/arena.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Layer normalisation (Ba, Kiros & Hinton 2016), for each token on its own:
///
///   x_hat = (x - mean(x)) / sqrt(var(x) + epsilon)        y = gain * x_hat + bias
///
/// var divides by D, not by D - 1. N = rows (tokens), D = model width.
template <std::floating_point Scalar>
struct LayerNorm {
  static constexpr Scalar kEpsilon = Scalar(1e-5);  // as torch.nn.LayerNorm

  /// A gradient is the same struct, bound to another arena.
  struct Parameters {
    RowVectorView<Scalar> gain;  // [D]
    RowVectorView<Scalar> bias;  // [D]
    Parameters(ArenaCursor<Scalar>& cursor, const std::string& name, Index width)
        : gain(cursor.vector(name + ".weight", width)), bias(cursor.vector(name + ".bias", width)) {}
  };
  /// What backward must remember of forward.
  struct Cache {
    Buffer<Scalar> x_hat;      // [N, D]
    Buffer<Scalar> inv_std;    // [N, 1]
    RowVector<Scalar> d_xhat;  // [D] room for one row of backward
  };

  /// x [N, D] gives y [N, D].
  static void forward(const Parameters& p, ConstMatrixRef<Scalar> x, Cache& cache, Buffer<Scalar>& y,
                      const Recorder& recorder = {});
  /// d_y [N, D] gives d_x [N, D].
  static void backward(const Parameters& p, Cache& cache, ConstMatrixRef<Scalar> d_y, Parameters& grad,
                       Buffer<Scalar>& d_x, const Recorder& recorder = {});
};

}  // namespace glassformer

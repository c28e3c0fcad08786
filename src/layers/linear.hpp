#pragma once

#include <concepts>
#include <string>

#include "layers/recorder.hpp"
#include "numerics/arena.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// A linear map of each row:
///
///   y = x W^T + b        W [out, in], as torch.nn.Linear stores it
///
/// N = rows.
template <std::floating_point Scalar>
struct Linear {
  /// W and b.
  struct Parameters {
    MatrixView<Scalar> weight;   // [out, in]
    RowVectorView<Scalar> bias;  // [out]

    Parameters(MatrixView<Scalar> weight_view, RowVectorView<Scalar> bias_view)
        : weight(weight_view), bias(bias_view) {}
    Parameters(ArenaCursor<Scalar>& cursor, const std::string& name, Index in, Index out)
        : weight(cursor.matrix(name + ".weight", out, in)), bias(cursor.vector(name + ".bias", out)) {}

    /// The map that gives only `count` of the outputs, from number `first` on: the same memory, fewer rows.
    Parameters outputs(Index first, Index count) const {
      Parameters all = *this;  // a copy of views
      return {{all.weight.data() + first * weight.cols(), count, weight.cols()}, {all.bias.data() + first, count}};
    }
  };

  /// x [N, in] gives y [N, out].
  static void forward(const Parameters& p, ConstMatrixRef<Scalar> x, Buffer<Scalar>& y, const Recorder& recorder = {});
  /// d_y [N, out] gives d_x [N, in]. x is forward's.
  static void backward(const Parameters& p, ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> d_y, Parameters& grad,
                       Buffer<Scalar>& d_x, const Recorder& recorder = {});
};

}  // namespace glassformer

#pragma once

#include <concepts>

#include "layers/activation.hpp"
#include "layers/dropout.hpp"
#include "layers/linear.hpp"

namespace glassformer {

/// The position-wise feed-forward network (Vaswani et al. 2017, section 3.3), the same for every token:
///
///   y = activation(x W1^T + b1) W2^T + b2
///
/// N = rows (tokens), D = model width, F = feed-forward width.
template <std::floating_point Scalar>
struct FeedForward {
  /// W1 and b1 are expand, W2 and b2 are contract.
  struct Parameters {
    typename Linear<Scalar>::Parameters expand;    // D to F
    typename Linear<Scalar>::Parameters contract;  // F to D
    Parameters(ArenaCursor<Scalar>& cursor, Index width, Index inner_width)
        : expand(cursor, "fc1", width, inner_width), contract(cursor, "fc2", inner_width, width) {}
  };
  /// What backward must remember of forward, and room for its results.
  struct Cache {
    Buffer<Scalar> expanded;                 // [N, F] before the activation
    Buffer<Scalar> activated;                // [N, F] after activation and dropout
    typename Dropout<Scalar>::Cache dropout;
    Buffer<Scalar> output;                   // [N, D]
    Buffer<Scalar> d_activated, d_input;     // room for backward
  };

  /// x [N, D] gives cache.output [N, D]. `dropout`: rate on the activation, drawn at `site`.
  static void forward(const Parameters& p, Activation activation, double dropout, ConstMatrixRef<Scalar> x,
                      const Pass& pass, Site site, Cache& cache, const Recorder& recorder = {});
  /// d_y [N, D] gives cache.d_input [N, D]. x is forward's.
  static void backward(const Parameters& p, Activation activation, ConstMatrixRef<Scalar> x, Cache& cache,
                       ConstMatrixRef<Scalar> d_y, Parameters& grad, const Recorder& recorder = {});
};

}  // namespace glassformer

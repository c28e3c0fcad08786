#pragma once

#include <concepts>

#include "layers/dropout.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Ids to vectors, with their place in the sentence added (Vaswani et al. 2017, sections 3.4 and 3.5):
///
///   x[b, t] = dropout(scale * table[id[b, t]] + position[t])        scale = sqrt(D), or 1 by option
///
///   position[t, i]       = sin(t / 10000^(2i / D))        i = 0 .. D/2 - 1: the sines fill the first half
///   position[t, D/2 + i] = cos(t / 10000^(2i / D))                          and the cosines the second
///
/// Padding is no token: its rows are 0, whatever the table holds for it, and give the table no gradient.
/// B sentences of length T, N = B * T rows, D = model width (even), V = vocabulary.
template <std::floating_point Scalar>
struct Embedding {
  using Parameters = MatrixView<Scalar>;  // the table [V, D]; not its owner: tied models share it

  /// What backward must remember of forward, and room for its results.
  struct Cache {
    Buffer<Scalar> positions;                 // [longest T so far, D]
    typename Dropout<Scalar>::Cache dropout;
    Buffer<Scalar> output;                    // [N, D]
    Buffer<Scalar> d_embedded;                // [N, D] room for backward
  };

  /// ids [B, T] give cache.output [N, D], row b * T + t. `scaled`: by sqrt(D).
  static void forward(const Parameters& table, const IdMatrix& ids, Id pad, bool scaled, double dropout,
                      const Pass& pass, Site site, Cache& cache, const Recorder& recorder = {});
  /// d_x [N, D] adds to the table's gradient. ids and `scaled` are forward's.
  static void backward(const IdMatrix& ids, Id pad, bool scaled, Cache& cache, ConstMatrixRef<Scalar> d_x,
                       Parameters& grad, const Recorder& recorder = {});

  /// sqrt(D), or 1.
  static Scalar scale_of(Index width, bool scaled);
  /// One row of x before dropout: the id at place `place`. x [D], positions with more than `place` rows.
  static void embed(const Parameters& table, Id id, Scalar scale, ConstMatrixRef<Scalar> positions, Index place,
                    Eigen::Ref<RowVector<Scalar>> x);
};

/// Makes `positions` hold the first `length` places at least. [length or more, D], D even
template <std::floating_point Scalar>
void ensure_positions(Index length, Index width, Buffer<Scalar>& positions);

}  // namespace glassformer

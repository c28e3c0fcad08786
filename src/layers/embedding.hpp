#pragma once

#include <concepts>
#include <string>

#include "layers/dropout.hpp"

namespace glassformer {

struct EmbeddingSettings {
  Id pad = 0;
  bool scaled = true;  ///< by sqrt(D)
  double dropout = 0;
};

/// Ids to vectors, with their position in the sentence added (Vaswani et al. 2017, sections 3.4 and 3.5):
///
///   x[b, t] = dropout(scale * table[id[b, t]] + position[t])        scale = sqrt(D), or 1 by option
///
///   position[t, i]       = sin(t / 10000^(2i / D))        i = 0 .. D/2 - 1
///   position[t, D/2 + i] = cos(t / 10000^(2i / D))
///
/// All sines come first, then all cosines, as in Marian. The paper interleaves them (sin in column 2i, cos in 2i + 1):
/// the same numbers in another order. Rows of padding are 0, whatever the table holds, and give the table no gradient.
/// B sentences of length T, N = B * T rows, D = model width (even), V = vocabulary.
template <std::floating_point Scalar>
class Embedding {
 public:
  const MatrixParameter<Scalar> table;  // [V, D], which other layers may share

  Embedding(const Part<Scalar>& part, MatrixParameter<Scalar> shared_table, const EmbeddingSettings& settings);

  /// Maps ids [B, T] to x [N, D], row b * T + t.
  const Buffer<Scalar>& forward(const Pass& pass, const IdMatrix& ids);
  const Buffer<Scalar>& forward(const Pass& pass, IdMatrix&& ids) = delete;  // backward reads the ids
  /// Adds the gradient d_x [N, D] to that of the table.
  void backward(const Pass& pass, const Buffer<Scalar>& d_x);

  /// One row of x before dropout: the id at position t. x [D]
  void embed(Id id, Index t, RowView<Scalar> x);

 private:
  void ensure_positions(Index length);

  std::string name_;
  Id pad_;
  Scalar scale_;
  Dropout<Scalar> dropout_;
  const IdMatrix* ids_ = nullptr;  // forward's
  Buffer<Scalar> positions_;       // [longest T so far, D]
  Buffer<Scalar> x_, d_embedded_;  // [N, D]
};

}  // namespace glassformer

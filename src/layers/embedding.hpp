#pragma once

#include <concepts>
#include <string>

#include "glassformer/layers/dropout.hpp"

namespace glassformer {

struct EmbeddingSettings {
  Id pad = 0;
  bool scaled = true;     ///< multiply by sqrt(D)
  double dropout = 0;     ///< rate, for the sum of embedding and position
  bool positions = true;  ///< false: all positions are 0
};

/// Maps ids to vectors and adds the positional encoding (Vaswani et al. 2017, sections 3.4 and 3.5):
///
///   x[b, t] = dropout(scale * table[id[b, t]] + position[t])        scale = sqrt(D), or 1 if not scaled
///
///   position[t, i]       = sin(t / 10000^(2i / D))        i = 0 .. D/2 - 1
///   position[t, D/2 + i] = cos(t / 10000^(2i / D))
///
/// All sines come first, then all cosines, as in Marian. The paper interleaves them (sin in column 2i, cos in 2i + 1):
/// the same numbers in a different order. Padding rows are 0, whatever the table holds, and give the table no gradient.
/// B sentences of length T, N = B * T rows, D = model width (even), V = vocabulary.
template <std::floating_point Scalar>
class Embedding {
 public:
  const MatrixParameter<Scalar> table;  // [V, D]; other layers may share it

  Embedding(const Part<Scalar>& part, MatrixParameter<Scalar> shared_table, const EmbeddingSettings& settings);

  /// Maps ids [B, T] to x [N, D]. Token t of sentence b is row b * T + t.
  const Buffer<Scalar>& forward(const Pass& pass, const IdMatrix& ids);
  const Buffer<Scalar>& forward(const Pass& pass, IdMatrix&& ids) = delete;  // backward reads the ids
  /// Maps d_x [N, D] to the table's gradient, adding to what is already there.
  void backward(const Pass& pass, const Buffer<Scalar>& d_x);

  /// Computes one row of x before dropout, for `id` at position t. x [D]
  void embed(Id id, Index t, RowView<Scalar> x);

 private:
  void ensure_positions(Index length);

  std::string name_;
  Id pad_;
  Scalar scale_;
  bool has_positions_;
  Dropout<Scalar> dropout_;
  const IdMatrix* ids_ = nullptr;  // forward's input
  Buffer<Scalar> positions_;       // [longest T so far, D]
  Buffer<Scalar> x_;               // [N, D]
};

}  // namespace glassformer

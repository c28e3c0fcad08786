#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "numerics/matrix.hpp"

namespace glassformer {

/// The keys and values of all tokens so far of all running hypotheses: what self-attention looks back at. Each
/// hypothesis has a slot of its own, a block of rows in every layer's matrix:
///
///   slot 0   k v of token 0 | k v of token 1 | ...  | room
///   slot 1   ...
///
/// When hypotheses are continued, the first child of each takes over its parent's slot as it stands. Only further
/// children need a copy of it, which goes to a free slot, such as that of a hypothesis without children.
///
/// R hypotheses (rows), t tokens so far, D = model width.
template <std::floating_point Scalar>
class KeyValueCache {
 public:
  /// Forgets everything. At most `slots` hypotheses will run at a time.
  void start(std::size_t layers, Index slots, Index width);

  /// Makes room for one more token. From now on row i is a child of what was row parents[i] before; the first time
  /// parents say nothing but how many rows there are.
  void extend(std::span<const Index> parents);

  /// Tokens of each row, the newest included.
  Index length() const { return length_; }
  /// Keys and values of one row in one layer, [t, D] each.
  MatrixView<const Scalar> keys(std::size_t layer, Index row) { return block(layer, row, 0); }
  MatrixView<const Scalar> values(std::size_t layer, Index row) { return block(layer, row, 1); }
  /// Where key and value of the newest token go: [1, 2D], key first.
  RowView<Scalar> newest(std::size_t layer, Index row) { return key_value_[layer].row(first_row(row) + length_ - 1); }

 private:
  Index first_row(Index row) const { return slot_[static_cast<std::size_t>(row)] * capacity_; }
  MatrixView<const Scalar> block(std::size_t layer, Index row, Index half) {
    const Index width = key_value_[layer].cols() / 2;
    return key_value_[layer].view().block(first_row(row), half * width, length_, width);
  }
  void inherit_slots(std::span<const Index> parents);
  void copy_slot(Index from, Index to);
  void grow();

  Index slots_ = 0, length_ = 0;
  Index capacity_ = 0;                     // tokens a slot has room for
  std::vector<Buffer<Scalar>> key_value_;  // for each layer [slots * capacity, 2D]
  std::vector<Index> slot_;                // [R] which slot a row has
  std::vector<Index> slot_before_;         // [R before] the same, one step ago
  std::vector<bool> taken_;                // [slots]
  Buffer<Scalar> old_;                     // room to grow
};

}  // namespace glassformer

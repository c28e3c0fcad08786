#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "glassformer/layers/masks.hpp"

namespace glassformer {

/// The keys and values that self-attention reads when a search extends hypotheses token by token: those of all tokens
/// so far of all running hypotheses, in one decoder layer. Each hypothesis has its own slot, a block of rows:
///
///   slot 0   k v of token 0 | k v of token 1 | ...  | free
///   slot 1   ...
///
/// When hypotheses are extended, the first child of each takes over its parent's slot. Only further children need a
/// copy, which goes to a free slot, such as that of a hypothesis without children.
///
/// R hypotheses (rows), t tokens so far, D = model width.
template <std::floating_point Scalar>
class KeyValueCache {
 public:
  /// Empties the cache. At most `slots` hypotheses may run at a time.
  void start(Index slots, Index width);

  /// Makes room for one more token. Row i becomes a child of the previous step's row parents[i]. In the first call,
  /// only the number of parents matters: it is the number of rows.
  void extend(std::span<const Index> parents);
  /// Stores the key and value of a row's newest token: [1, 2D], key first.
  void add(Index row, MatrixView<const Scalar> key_value);

  /// Keys and values of one row, [t, D] each.
  MatrixView<const Scalar> keys(Index row) const { return block(row, 0); }
  MatrixView<const Scalar> values(Index row) const { return block(row, 1); }
  /// The mask of a row's keys, [1, 1, t]. It blocks nothing, because there are no future tokens yet.
  const Mask& mask() const { return mask_; }

 private:
  Index first_row(Index row) const { return slot_[static_cast<std::size_t>(row)] * capacity_; }
  MatrixView<const Scalar> block(Index row, Index half) const {
    const Index width = key_value_.cols() / 2;
    return key_value_.view().block(first_row(row), half * width, length_, width);
  }
  void inherit_slots(std::span<const Index> parents);
  void grow();

  Index slots_ = 0, length_ = 0;
  Index capacity_ = 0;              // tokens that fit in a slot
  Buffer<Scalar> key_value_;        // [slots * capacity, 2D]
  std::vector<Index> slot_;         // [R] the slot of each row
  std::vector<Index> slot_before_;  // [previous R] the same in the previous step
  std::vector<bool> taken_;         // [slots] whether a row has this slot
  Mask mask_;                       // [1, 1, t]
};

}  // namespace glassformer

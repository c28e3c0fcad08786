#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "layers/masks.hpp"
#include "numerics/row_operations.hpp"

namespace glassformer {

/// The keys and values that self-attention reads when a search extends hypotheses token by token: those of all tokens
/// so far of all running hypotheses. Each hypothesis has its own slot, a block of rows in every layer's matrix:
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
  void start(std::size_t layers, Index slots, Index width);

  /// Makes room for one more token. Row i becomes a child of the previous step's row parents[i]. In the first call,
  /// only the number of parents matters: it is the number of rows.
  void extend(std::span<const Index> parents);

  /// The number of tokens of each row, including the newest.
  Index length() const { return length_; }

  /// The keys and values of one layer. A copy refers to the same cache.
  class Layer {
   public:
    /// Keys and values of one row, [t, D] each.
    MatrixView<const Scalar> keys(Index row) const { return cache_->block(layer_, row, 0); }
    MatrixView<const Scalar> values(Index row) const { return cache_->block(layer_, row, 1); }
    /// Stores the key and value of a row's newest token: [1, 2D], key first.
    void add(Index row, MatrixView<const Scalar> key_value) const { copy(key_value, cache_->newest(layer_, row)); }
    /// The mask of a row's keys, [1, 1, t]. It blocks nothing, because there are no future tokens yet.
    const Mask& mask() const { return cache_->mask_; }

   private:
    friend KeyValueCache;
    Layer(KeyValueCache& cache, std::size_t layer) : cache_(&cache), layer_(layer) {}

    KeyValueCache* cache_;
    std::size_t layer_;
  };
  Layer layer(std::size_t number) { return Layer(*this, number); }

 private:
  Index first_row(Index row) const { return slot_[static_cast<std::size_t>(row)] * capacity_; }
  MatrixView<const Scalar> block(std::size_t layer, Index row, Index half) {
    const Index width = key_value_[layer].cols() / 2;
    return key_value_[layer].view().block(first_row(row), half * width, length_, width);
  }
  MatrixView<Scalar> newest(std::size_t layer, Index row) {
    return key_value_[layer].view().middle_rows(first_row(row) + length_ - 1, 1);
  }
  void inherit_slots(std::span<const Index> parents);
  void copy_slot(Index from, Index to);
  void grow();

  Index slots_ = 0, length_ = 0;
  Index capacity_ = 0;                     // tokens that fit in a slot
  std::vector<Buffer<Scalar>> key_value_;  // per layer [slots * capacity, 2D]
  std::vector<Index> slot_;                // [R] the slot of each row
  std::vector<Index> slot_before_;         // [previous R] the same in the previous step
  std::vector<bool> taken_;                // [slots] whether a row has this slot
  Mask mask_;                              // [1, 1, t]
  Buffer<Scalar> old_;                     // a copy while the cache grows
};

}  // namespace glassformer

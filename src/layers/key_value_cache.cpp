#include "glassformer/layers/key_value_cache.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace glassformer {

template <std::floating_point Scalar>
void KeyValueCache<Scalar>::start(Index slots, Index width) {
  constexpr Index kFirstCapacity = 16;
  slots_ = slots;
  length_ = 0;
  capacity_ = std::max(capacity_, kFirstCapacity);  // not less than before, so that it rarely grows
  key_value_.resize(slots_ * capacity_, 2 * width);
}

template <std::floating_point Scalar>
void KeyValueCache<Scalar>::extend(std::span<const Index> parents) {
  assert(static_cast<Index>(parents.size()) <= slots_);
  if (length_ == 0) {
    slot_.resize(parents.size());
    std::iota(slot_.begin(), slot_.end(), Index{0});
  } else {
    inherit_slots(parents);
  }
  if (length_ == capacity_) {
    grow();
  }
  ++length_;
  mask_ = all_visible(1, 1, length_, std::move(mask_));
}

template <std::floating_point Scalar>
void KeyValueCache<Scalar>::inherit_slots(std::span<const Index> parents) {
  constexpr Index kNone = -1;
  std::swap(slot_, slot_before_);
  slot_.assign(parents.size(), kNone);
  taken_.assign(static_cast<std::size_t>(slots_), false);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Index slot = slot_before_[static_cast<std::size_t>(parents[i])];
    if (taken_[static_cast<std::size_t>(slot)]) {
      continue;
    }
    taken_[static_cast<std::size_t>(slot)] = true;
    slot_[i] = slot;
  }
  // No child has taken over the slots that are still free, so they can be overwritten.
  auto free = taken_.begin();
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (slot_[i] != kNone) {
      continue;
    }
    free = std::find(free, taken_.end(), false);
    *free = true;
    slot_[i] = free - taken_.begin();
    const Index from = slot_before_[static_cast<std::size_t>(parents[i])];
    key_value_.view().middle_rows(slot_[i] * capacity_, length_).eigen() =
        key_value_.view().middle_rows(from * capacity_, length_).eigen();
  }
}

template <std::floating_point Scalar>
void KeyValueCache<Scalar>::grow() {
  const Index larger = 2 * capacity_;
  Buffer<Scalar> copied(slots_ * larger, key_value_.cols());
  for (const Index slot : slot_) {
    copied.view().middle_rows(slot * larger, length_).eigen() =
        key_value_.view().middle_rows(slot * capacity_, length_).eigen();
  }
  key_value_ = std::move(copied);
  capacity_ = larger;
}

template <std::floating_point Scalar>
void KeyValueCache<Scalar>::add(Index row, MatrixView<const Scalar> key_value) {
  key_value_.view().middle_rows(first_row(row) + length_ - 1, 1).eigen() = key_value.eigen();
}

template class KeyValueCache<float>;
template class KeyValueCache<double>;

}  // namespace glassformer

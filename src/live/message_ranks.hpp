#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "glassformer/numerics/ranks.hpp"

namespace glassformer {

/// Ranks that are workers of a page. Workers exchange messages, but none can wait for a message inside a step. So they
/// run their shards before it, pass the sum from rank to rank (Session::add_shards), and make the step when they have
/// the whole sum and the results of all ranks, which they put here. The bits are those of a single rank.
class MessageRanks final : public Ranks {
 public:
  MessageRanks(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<float> sum;          ///< of the gradients of all shards
  std::vector<std::byte> results;  ///< of all shards

  void sum_in_order(std::span<float> values, FunctionRef<void, Index, Index> add) const override {
    if (size_ == 1) {
      return add(0, std::ssize(values));
    }
    std::ranges::copy(sum, values.begin());
  }

 private:
  void gather_bytes(std::span<std::byte> all, std::size_t) const override {
    if (size_ > 1) {
      std::ranges::copy(results, all.begin());
    }
  }

  int rank_, size_;
};

}  // namespace glassformer

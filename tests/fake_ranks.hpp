#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "glassformer/machine/processes.hpp"

namespace glassformer::test {

/// One of several ranks, without the others: what it gathers are copies of its own item, which the test may change.
class FakeRanks : public Processes {
 public:
  using Change = std::function<void(int rank, std::span<std::byte> item)>;

  FakeRanks(
      int rank, int size, Change change = [](int, std::span<std::byte>) {})
      : rank_(rank), size_(size), change_(std::move(change)) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }

 private:
  void gather_bytes(std::span<std::byte> all, std::size_t bytes) const override {
    const auto item = [&](int rank) { return all.subspan(static_cast<std::size_t>(rank) * bytes, bytes); };
    for (int other = 0; other < size_; ++other) {
      if (other != rank_) {
        std::ranges::copy(item(rank_), item(other).begin());
        change_(other, item(other));
      }
    }
  }

  int rank_, size_;
  Change change_;
};

}  // namespace glassformer::test

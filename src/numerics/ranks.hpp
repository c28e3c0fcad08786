#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "glassformer/numerics/parallel.hpp"

namespace glassformer {

/// The processes that train one model together, called ranks as in MPI. Each has the whole model and computes some
/// shards of every batch. This class is for a single process, rank 0 of 1. Derived classes are for several: that of
/// join_ranks() in machine/mpi.hpp, and MessageRanks in live/message_ranks.hpp.
///
/// All ranks must make the same calls in the same order.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  /// The items in [begin, end).
  struct Block {
    Index begin = 0, end = 0;
    Index size() const { return end - begin; }
  };
  /// This rank's block of `count` items, such as shards. Blocks are in rank order, and sizes differ by at most one.
  Block block(Index count) const { return block(count, rank(), size()); }
  static Block block(Index count, int rank, int size) { return {count * rank / size, count * (rank + 1) / size}; }

  /// Before the call, each rank must fill its block(all.size()) of `all`. Afterwards, every rank has all blocks.
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void gather(std::span<Value> all) const { gather_bytes(std::as_writable_bytes(all), sizeof(Value)); }

  /// Sums over all ranks in rank order and, within a rank, in the order of its addends: ((g0 + g1) + g2) + ... The bits
  /// are therefore the same as if one rank had all addends. `values` is this rank's first addend and becomes the sum;
  /// `add(begin, end)` adds the rank's other addends, in order, to that range of `values`.
  virtual void sum_in_order(std::span<float> values, FunctionRef<void, Index, Index> add) const {
    add(0, std::ssize(values));
  }

 private:
  virtual void gather_bytes(std::span<std::byte> /*all*/, std::size_t /*bytes of an item*/) const {}
};

/// One process: the default for code that can run on several ranks.
inline const Ranks alone{};

}  // namespace glassformer

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "numerics/matrix.hpp"

namespace glassformer {

/// The processes of one training, which MPI calls ranks: one on each machine of a cluster, or several on one machine.
/// Each has the whole model, and computes some shards of every batch. This is the only class that knows MPI. A program
/// that nobody has started together with others is alone, rank 0 of 1: MPI is not even initialised, and all of this is
/// trivial.
///
/// What one rank calls, all have to call, in the same order, from the thread that called join(). Copies are the same
/// communicator; MPI ends with the last of them.
class Communicator {
 public:
  Communicator() = default;  ///< alone

  /// Joins the processes that mpirun or srun has started together with this one; alone if there are none.
  /// \throws UserError: this program was built without MPI, or with another MPI than that of mpirun
  static Communicator join();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  int machines() const;
  int ranks_here() const;       ///< on this machine
  int ranks_sharing() const;    ///< those of them that may run on the same processors as this one, itself included
  int processors_here() const;  ///< of this machine, on which any of them may run

  /// Things from `begin` to before `end`.
  struct Block {
    Index begin = 0, end = 0;
    Index size() const { return end - begin; }
  };
  /// Which of `count` things, shards for example, are this rank's. Blocks follow each other in the order of ranks, and
  /// differ in size by at most one.
  Block block(Index count) const { return block(count, rank_, size_); }
  static Block block(Index count, int rank, int size) { return {count * rank / size, count * (rank + 1) / size}; }

  /// Runs `action` on the first rank; the others wait for its end. What is written is written so.
  void once(const std::function<void()>& action) const;
  /// Runs `action`, which must not communicate, on every rank. Where it throws on several, only the exception of the
  /// first of them goes on, so that there is one message; the others wait to be ended.
  void together(const std::function<void()>& action) const;

  /// Each number becomes the largest that any rank has in this place.
  void largest(std::span<double> numbers) const;
  /// \throws UserError, on the first rank: another one's fingerprint differs. `what` begins the message, `hint` ends it
  void require_same(const std::string& what, const std::function<std::uint64_t()>& fingerprint,
                    const std::string& hint) const;

  /// The first rank's values become everybody's.
  void broadcast(std::span<float> values) const { broadcast_bytes(std::as_writable_bytes(values)); }
  template <class Value>
    requires std::is_trivially_copyable_v<Value>
  void broadcast(Value& value) const {
    broadcast_bytes(std::as_writable_bytes(std::span(&value, 1)));
  }
  /// Every rank has filled its block(all.size()) of `all`; afterwards every rank has all.
  template <class Value>
    requires std::is_trivially_copyable_v<Value>
  void gather(std::span<Value> all) const {
    gather_bytes(std::as_writable_bytes(all), sizeof(Value));
  }

  /// Sums in the order of ranks and, within a rank, of its shards: ((g0 + g1) + g2) + ..., to the last bit as if one
  /// rank had all shards. `values` is this rank's first addend, and becomes the sum; `add(begin, end)` adds the rank's
  /// other addends, in order, to this range of it.
  ///
  /// The ranks form a chain. Cut into segments, the sum travels from the first rank to the last, each adding what is
  /// its own, and the finished segments travel back while later ones are still on their way there. So a rank sends and
  /// receives each number at most twice, however many ranks there are, as in a ring; only the first segment has to wait
  /// for 2 (size - 1) hops.
  void sum_in_order(std::span<float> values, const std::function<void(Index begin, Index end)>& add) const;
  /// Sums as MPI likes best: the order, and with it the last bits, depend on the number of ranks.
  void sum_in_any_order(std::span<float> values) const;

  /// "rank 3 on HOST: ", for messages; empty on the first rank, and alone.
  static std::string speaker();
  /// For main, at its end: where an exception has made this process leave the others, ends them too.
  static void end(int status);

 private:
  class Group;
  void broadcast_bytes(std::span<std::byte> bytes) const;
  void gather_bytes(std::span<std::byte> all, std::size_t item) const;

  int rank_ = 0, size_ = 1;
  std::shared_ptr<Group> group_;  // none: alone
};

/// With how many processes mpirun (of Open MPI, MPICH and its kin) or srun says that it has started this one. 1: alone.
int announced_processes();

}  // namespace glassformer

#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "glassformer/numerics/parallel.hpp"
#include "glassformer/numerics/ranks.hpp"

namespace glassformer {

/// Ranks, with what a training run needs besides sums: they can wait for one another and exchange values. This class is
/// for a single process. For several, join_ranks() in mpi.hpp returns an object of a derived class.
class Processes : public Ranks {
 public:
  bool is_first() const { return rank() == 0; }

  /// Runs `action` on the first rank; the others wait until it has finished. If it throws, they wait to be terminated.
  virtual void once(FunctionRef<void> action) const { action(); }
  /// Runs `action`, which must not communicate, on every rank. If it throws on several ranks, only the first of them
  /// rethrows, so that the user sees one message. All other ranks wait to be terminated.
  virtual void together(FunctionRef<void> action) const { action(); }
  /// Replaces each number with the largest number that any rank has at that index.
  virtual void largest(std::span<double>) const {}

  /// Copies the first rank's values to all ranks.
  void broadcast(std::span<float> values) const { broadcast_bytes(std::as_writable_bytes(values)); }
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void broadcast(Value& value) const { broadcast_bytes(std::as_writable_bytes(std::span(&value, 1))); }

 private:
  virtual void broadcast_bytes(std::span<std::byte>) const {}
};

/// One process, like `alone`, for functions that take Processes.
inline const Processes one_process{};

}  // namespace glassformer

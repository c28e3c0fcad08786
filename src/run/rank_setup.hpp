#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "glassformer/machine/processes.hpp"
#include "glassformer/numerics/matrix.hpp"

/// Prepares several processes for training together. Every rank must call these functions.
namespace glassformer {

/// Checks that all ranks run the same, and divides each machine's processors among its ranks. `fingerprint`: of the
/// command and the config. \throws UserError: they differ; there are more ranks than shards
void set_up_ranks(const Processes& ranks, const std::function<std::uint64_t()>& fingerprint, Index shards);

/// Logs how the ranks divide the work, and warns if there are more threads than processors. Logs nothing for a single
/// rank.
void log_ranks(const Processes& ranks, Index shards);

/// \throws UserError on the first rank: another rank's fingerprint differs. `what` starts the message, `hint` ends it
void require_same(const Processes& ranks, const std::string& what, const std::function<std::uint64_t()>& fingerprint,
                  const std::string& hint);

}  // namespace glassformer

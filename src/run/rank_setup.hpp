#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "numerics/matrix.hpp"
#include "numerics/ranks.hpp"

/// What has to be right before several processes train together. Every rank must call these functions.
namespace glassformer {

/// Checks that all ranks have the same text of a config, and divides a machine's processors among its ranks.
/// \throws UserError: the configs differ; there are more ranks than shards
void set_up_ranks(const Ranks& ranks, const std::string& config, Index shards);

/// Logs how the ranks divide the work, and warns if processors are idle or overloaded. Alone: nothing.
void log_ranks(const Ranks& ranks, Index shards);

/// \throws UserError, on the first rank: another one's fingerprint differs. `what` begins the message, `hint` ends it
void require_same(const Ranks& ranks, const std::string& what, const std::function<std::uint64_t()>& fingerprint,
                  const std::string& hint);

}  // namespace glassformer

#pragma once

#include "config/config.hpp"
#include "numerics/communicator.hpp"

/// What a program looks to before several processes train together.
namespace glassformer {

/// Divides the processors of a machine among its ranks. Alone: nothing.
/// \throws UserError: with so many ranks the config cannot be trained
void prepare_ranks(const Communicator& ranks, const Config& config);

/// Says in the log who does what, and warns where processors are left over or have too much to do. Alone: nothing.
void log_ranks(const Communicator& ranks, Index shards);

/// \throws UserError, on the first rank: another one has been given another config. Files may lie elsewhere.
void require_same_config(const Communicator& ranks, const Config& config);

}  // namespace glassformer

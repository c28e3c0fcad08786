#pragma once

#include "glassformer/config/blame.hpp"
#include "glassformer/config/config.hpp"

namespace glassformer {

/// Checks the rules that involve several keys. (The lists in schema and settings have the values that a single key
/// accepts.) \throws UserError that blames a key
void check_rules(const Config& config, const Blame& blame);

/// \throws UserError: a number that training would round to one that is not allowed. (A checkpoint may have such a
/// number, because it is no longer trained.)
void check_precision(Config& config, const Blame& blame);

}  // namespace glassformer

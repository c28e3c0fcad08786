#pragma once

#include <optional>
#include <vector>

#include "glassformer/recording/recording.hpp"

namespace glassformer {

/// For each backward step, the forward step that it differentiates. For d_x, this is the last forward step of the same
/// part that reads x. A step that adds to a sum over several parts differentiates the same step as its summand.
std::vector<std::optional<std::size_t>> differentiated_steps(const Recording& recording);

}  // namespace glassformer

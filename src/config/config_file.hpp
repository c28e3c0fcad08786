#pragma once

#include <string_view>

namespace glassformer {

inline constexpr const char* kConfigFile = "config.yaml";  ///< the complete config of a run or a checkpoint
/// Every config.yaml that this program has ever written begins like this.
inline constexpr std::string_view kConfigBeginning = "# The complete config of a run";

}  // namespace glassformer

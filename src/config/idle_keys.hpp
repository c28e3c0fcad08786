#pragma once

#include "glassformer/config/config.hpp"
#include "glassformer/config/key.hpp"

namespace glassformer {

/// Logs one warning for the keys that the config file or --set gives, that differ from `before` (the config without
/// them), and that have no effect, given the other keys. Keys of a base do not count: it may set them for other
/// configs.
void warn_about_idle_keys(const Config& before, const Config& config, const Places& places);

}  // namespace glassformer

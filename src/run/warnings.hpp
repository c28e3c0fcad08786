#pragma once

#include "config/config.hpp"

namespace glassformer {

/// Logs, when a training begins, what its config allows but hardly anybody wants: a warning, one line, for each.
void warn_about(const Config& config);

}  // namespace glassformer

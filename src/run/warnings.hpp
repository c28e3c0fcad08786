#pragma once

#include "model/settings.hpp"
#include "training/settings.hpp"

namespace glassformer {

/// Logs what a config allows but hardly anybody wants: a warning, one line, for each.
void warn_about(const TransformerSettings& model, const ScheduleSettings& schedule);

}  // namespace glassformer

#include "glassformer/training/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "glassformer/numerics/functions.hpp"

namespace glassformer {

double learning_rate(const ScheduleSettings& settings, Index max_updates, Index update) {
  assert(update >= 1);
  const double rate = settings.learning_rate;
  const auto now = static_cast<double>(update);
  const auto warmup = static_cast<double>(settings.warmup);
  if (now < warmup) {
    return settings.initial_rate + (rate - settings.initial_rate) * now / warmup;
  }

  switch (settings.kind) {
    case ScheduleSettings::Kind::inverse_sqrt:
      return rate * std::sqrt(std::max(1.0, warmup) / now);
    case ScheduleSettings::Kind::cosine: {
      // The fraction done when this update begins: 0 for the first after warm-up, as in torch's CosineAnnealingLR.
      const double done = std::clamp((now - 1 - warmup) / (static_cast<double>(max_updates) - warmup), 0.0, 1.0);
      return settings.final_rate + (rate - settings.final_rate) * (1 + cos(std::numbers::pi * done)) / 2;
    }
    case ScheduleSettings::Kind::constant:
      return rate;
  }
  return rate;
}

}  // namespace glassformer

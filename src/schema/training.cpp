#include "glassformer/schema/training.hpp"

namespace glassformer {

std::optional<BrokenRule> broken_rule(const TrainingSettings& training) {
  if (training.schedule.kind != ScheduleSettings::Kind::cosine) {
    return std::nullopt;
  }
  if (training.max_updates == 0) {
    return BrokenRule{{"schedule.kind", "max_updates"},
                      "the cosine schedule ends at max_updates; set training.max_updates above 0"};
  }
  if (training.schedule.warmup >= training.max_updates) {
    return BrokenRule{{"schedule.warmup", "max_updates", "schedule.kind"},
                      "the warm-up, " + std::to_string(training.schedule.warmup) +
                          " updates, must be shorter than training.max_updates, " +
                          std::to_string(training.max_updates) + ", because the cosine comes after it"};
  }
  return std::nullopt;
}

}  // namespace glassformer

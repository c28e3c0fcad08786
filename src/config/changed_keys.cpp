#include "config/changed_keys.hpp"

#include <algorithm>

#include "config/key.hpp"

namespace glassformer {

// Of the section model, a key counts as part of the shape unless it is named here.
bool is_of_shape(const std::string& key) {
  if (key == "tokenizer.kind" || key == "tokenizer.joint") {
    return true;
  }
  const bool is_of_training = key.ends_with("dropout") || key == "model.initial_gain" || key == "model.from";
  return key.starts_with("model.") && !is_of_training;
}

std::vector<ChangedKey> changed_keys(const Config& before, const Config& after) {
  static const std::vector<std::string> kHarmless = {"data.directory",
                                                     "data.train",
                                                     "data.tests",
                                                     "tokenizer.source_model",
                                                     "tokenizer.target_model",
                                                     "model.from",
                                                     "training.max_updates",
                                                     "training.max_epochs",
                                                     "training.max_minutes",
                                                     "training.max_skipped",
                                                     "training.log_every",
                                                     "training.validation.every",
                                                     "training.validation.unit",
                                                     "training.validation.patience",
                                                     "training.validation.translate",
                                                     "training.validation.samples",
                                                     "training.checkpoints.",
                                                     "decoding.",
                                                     "evaluation."};
  const auto is_harmless = [&](const std::string& key) {
    if (key == "training.max_updates" && after.training.schedule.kind == ScheduleSettings::Kind::cosine) {
      return false;
    }
    return std::ranges::any_of(kHarmless, [&](const std::string& name) { return key.starts_with(name); });
  };
  Config copy_before = before;
  Config copy_after = after;  // the table needs fields that it can write
  const std::vector<Key> keys = keys_of(copy_before);
  const std::vector<Key> keys_after = keys_of(copy_after);
  std::vector<ChangedKey> changed;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& name = keys[i].name;
    const std::string old = keys[i].field.write();
    const std::string now = keys_after[i].field.write();
    if (old != now) {
      changed.push_back({name, old, now, !is_harmless(name)});
    }
  }
  return changed;
}

}  // namespace glassformer

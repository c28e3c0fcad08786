#include "config/config.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "config/checks.hpp"
#include "config/key.hpp"
#include "marian/marian_config.hpp"

namespace glassformer {
namespace {

/// One warning that names every retired key that was given; nothing if there is none.
void warn_about_retired_keys(const Places& given) {
  std::string list;
  for (const auto& [name, place] : given)
    if (std::ranges::find(retired_keys(), name, &RetiredKey::name) != retired_keys().end())
      list += (list.empty() ? "" : ", ") + place.name;
  if (!list.empty()) spdlog::warn("{}: removed in version 0.2; ignored, as the value is the old default", list);
}

}  // namespace

Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Config config;
  Places places = read_keys(keys_of(config), file, overrides);
  warn_about_retired_keys(places);
  if (!config.model_from.empty()) {
    check_model_from(config.model_from, places, file);
    const Config model = read_config_of_model(config.model_from);
    config = {};  // what it does not say is as in the model
    config.model = model.model;
    config.tokenizer = model.tokenizer;
    config.decoding = model.decoding;
    config.tokenizer.source_model.clear();  // they lie in the model's directory
    config.tokenizer.target_model.clear();
    places = read_keys(keys_of(config), file, overrides);
    check_same_model(changed_keys(model, config), places, file);
  }
  check_rules(config, places, file);
  check_files(config, places, file);
  return config;
}

Config read_config_of_checkpoint(const std::filesystem::path& file, bool warn) {
  Config config;
  const Places places = read_keys(keys_of(config), file, {});
  if (warn) warn_about_retired_keys(places);
  check_rules(config, places, file);
  return config;
}

Config read_config_of_model(const std::filesystem::path& directory) {
  std::error_code ignored;
  const std::filesystem::path ours = directory / "config.yaml";
  if (std::filesystem::exists(ours, ignored)) return read_config_of_checkpoint(ours);
  const MarianSettings theirs = read_marian_config(directory);
  Config config;
  config.data = theirs.data;
  config.tokenizer = theirs.tokenizer;
  config.model = theirs.model;
  config.decoding = theirs.decoding;
  config.run.max_epochs = 1;  // a config says when a training ends
  return config;
}

std::vector<ChangedKey> changed_keys(const Config& before, const Config& after) {
  // clang-format off
  static const std::vector<std::string> kHarmless = {
      "data.directory", "data.train", "data.tests", "data.mapped_above", "tokenizer.source_model",
      "tokenizer.target_model", "model.from", "training.max_updates", "training.max_epochs", "training.max_minutes",
      "training.max_skipped", "training.log_every", "training.validation.every", "training.validation.unit",
      "training.validation.patience", "training.validation.samples", "training.checkpoints.", "decoding.",
      "evaluation."};
  // clang-format on
  const auto is_harmless = [&](const std::string& key) {
    if (key == "training.max_updates" && after.training.schedule.kind == ScheduleSettings::Kind::cosine) return false;
    return std::ranges::any_of(kHarmless, [&](const std::string& name) { return key.starts_with(name); });
  };
  Config copy_before = before, copy_after = after;  // the table reads and writes
  const std::vector<Key> keys = keys_of(copy_before), keys_after = keys_of(copy_after);
  std::vector<ChangedKey> changed;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string &name = keys[i].name, old = keys[i].field.write(), now = keys_after[i].field.write();
    if (old != now) changed.push_back({name, old, now, !is_harmless(name)});
  }
  return changed;
}

std::string write_config(const Config& config) {
  Config copy = config, defaults;  // the table reads and writes, so it asks for fields that may change
  return "# The complete config of a run: every key is written out, every path is absolute.\n" +
         write_keys(keys_of(copy), keys_of(defaults));
}

}  // namespace glassformer

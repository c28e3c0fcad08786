#include "glassformer/config/config.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "glassformer/config/blame.hpp"
#include "glassformer/config/changed_keys.hpp"
#include "glassformer/config/check_files.hpp"
#include "glassformer/config/config_file.hpp"
#include "glassformer/config/idle_keys.hpp"
#include "glassformer/config/key.hpp"
#include "glassformer/config/rules.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// The directory of the model that model.from names.
fs::path starting_model(const Models& models, const fs::path& from, const Blame& blame) try {
  return models.find(from);
} catch (const UserError& error) {
  blame.refuse({"model.from"}, error.what());
}

/// `changed`: the keys whose values differ from those of the model that model.from names.
/// \throws UserError: one of them changes the model's shape or its tokenizers
void check_same_model(const std::vector<ChangedKey>& changed, const Blame& blame) {
  for (const auto& [name, before, after, _] : changed) {
    if (is_of_shape(name)) {
      blame.refuse({name}, fmt::format("expected {}, as in the model that model.from names, found {}; remove the key",
                                       before, after));
    }
  }
}

/// One warning for all retired keys in the config.
void warn_about_retired_keys(const Places& given) {
  std::string list;
  for (const auto& [name, place] : given) {
    if (std::ranges::find(retired_keys(), name, &RetiredKey::name) != retired_keys().end()) {
      list += (list.empty() ? "" : ", ") + place.name;
    }
  }
  if (!list.empty()) {
    spdlog::warn("{}: removed in version 0.2; ignored because the value is the old default", list);
  }
}

/// A run that has a checkpoint keeps the tokenizers and weights that it was started with.
void keep_origin(Config& config, const Config& of_run) {
  std::vector<std::string> ignored;
  const auto keep = [&](const char* key, fs::path& path, const fs::path& of_run_path) {
    if (path != of_run_path) {
      ignored.emplace_back(key);
    }
    path = of_run_path;
  };
  keep("model.from", config.model_from, of_run.model_from);
  keep("tokenizer.source_model", config.tokenizer.source_model, of_run.tokenizer.source_model);
  keep("tokenizer.target_model", config.tokenizer.target_model, of_run.tokenizer.target_model);
  if (!ignored.empty()) {
    spdlog::info("keys with no effect: {} (a resumed run has its own tokenizers and weights)",
                 fmt::join(ignored, ", "));
  }
}

}  // namespace

Config parse_config(const fs::path& file, const std::vector<std::string>& overrides, const Models& models,
                    const std::optional<fs::path>& resumed) {
  Config config;
  Config before;  // without the keys of this file
  Blame blame{read_keys(keys_of(config), file, overrides), file};
  warn_about_retired_keys(blame.places);
  if (!config.model_from.empty()) {
    // Keys that are left out are taken from that model. A run that has a checkpoint has taken them already, so it can
    // be resumed without the model that it started from.
    const fs::path from = resumed ? fs::path() : starting_model(models, config.model_from, blame);
    const Config model = resumed ? read_config_of_run(*resumed) : models.config_of(from);
    before.model = model.model;
    before.tokenizer = model.tokenizer;
    before.decoding = model.decoding;
    if (!resumed) {
      before.tokenizer.source_model = before.tokenizer.target_model = "";  // the model's directory has them
    }
    config = before;
    blame.places = read_keys(keys_of(config), file, overrides);
    if (!resumed) {
      config.model_from = from;
      check_same_model(changed_keys(model, config), blame);
    }
  }
  check_rules(config, blame);
  check_precision(config, blame);
  check_data_files(config, blame);
  if (resumed) {
    keep_origin(config, read_config_of_run(*resumed));
  }
  if (!resumed) {
    check_tokenizer_files(config.tokenizer, blame);  // a checkpoint has its own copy
  }
  warn_about_idle_keys(before, config, blame.places);
  return config;
}

Config read_config_of_run(const fs::path& run) try {
  return read_config_of_checkpoint(run / kConfigFile, false);
} catch (const UserError& error) {
  throw UserError(
      fmt::format("{} (This is the config that the run was started with. Every checkpoint in {} has a copy of it.)",
                  error.what(), run.string()));
}

Config read_config_of_checkpoint(const fs::path& file, bool warn) {
  check_checkpoint_file(file, kLongestConfig);
  Config config;
  const Blame blame{read_keys(keys_of(config), file, {}), file};
  if (warn) {
    warn_about_retired_keys(blame.places);
  }
  check_rules(config, blame);
  return config;
}

}  // namespace glassformer

#include "config/config.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <initializer_list>
#include <system_error>

#include "checkpoint/run_names.hpp"
#include "config/data_files.hpp"
#include "config/idle_keys.hpp"
#include "config/key.hpp"
#include "files/lines.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Reports a broken rule between keys, at the key that broke it.
struct Blame {
  Places places;
  const fs::path& file;

  /// Of the places where these keys were given, the first in the order --set, the file, its base.
  std::string at(std::initializer_list<std::string> keys) const {
    const Place* nearest = nullptr;
    for (const std::string& key : keys) {
      if (const auto found = places.find(key);
          found != places.end() && (nearest == nullptr || found->second.distance < nearest->distance)) {
        nearest = &found->second;
      }
    }
    return (nearest != nullptr ? nearest->name : file.string() + ": " + *keys.begin()) + ": ";
  }
  [[noreturn]] void refuse(std::initializer_list<std::string> keys, const std::string& why) const {
    throw UserError(at(keys) + why);
  }
};

// Below: rules that involve several keys. (The table in keys.cpp has the values that a single key accepts.)

void check_model(const TransformerSettings& model, const TokenizerSettings& tokenizer, const Blame& blame) {
  if (model.d_model % 2 != 0) {
    blame.refuse({"model.d_model"},
                 fmt::format("expected an even number, found {}; positions are encoded as half sines, half cosines",
                             model.d_model));
  }
  Index divisor = model.heads;
  while (model.d_model % divisor != 0) {
    --divisor;
  }
  if (divisor != model.heads) {
    blame.refuse(
        {"model.heads", "model.d_model"},
        fmt::format("expected heads to divide d_model, found {} heads and d_model {}; choose, for example, {} heads",
                    model.heads, model.d_model, divisor));
  }
  if (model.tied_embeddings == Tying::all && !tokenizer.joint) {
    blame.refuse({"model.tied_embeddings", "tokenizer.joint"},
                 "expected one vocabulary for tied_embeddings: all, found two; set tokenizer.joint: true or "
                 "tied_embeddings: target");
  }
}

void check_tokenizer(const TokenizerSettings& tokenizer, const Blame& blame) {
  if (tokenizer.joint && !tokenizer.target_model.empty()) {
    blame.refuse({"tokenizer.target_model", "tokenizer.joint"},
                 "a joint tokenizer has one model; name it in source_model and leave target_model \"\"");
  }
  for (const auto& [key, size] : {std::pair("tokenizer.source_vocabulary_size", tokenizer.source_vocabulary_size),
                                  {"tokenizer.target_vocabulary_size", tokenizer.target_vocabulary_size}}) {
    if (size != 0 && tokenizer.joint) {
      blame.refuse({key, "tokenizer.joint"},
                   fmt::format("expected 0, because a joint vocabulary has one size, found {}; set "
                               "tokenizer.vocabulary_size, or joint: false",
                               size));
    }
    if (size > 0 && size < kLeastVocabulary) {
      blame.refuse({key},
                   fmt::format("expected 0 (as vocabulary_size) or at least {}, found {}", kLeastVocabulary, size));
    }
  }
  if (tokenizer.kind == TokenizerKind::sentencepiece) {
    return;
  }
  const bool has_source = !tokenizer.source_model.empty();
  if (has_source || !tokenizer.target_model.empty()) {
    blame.refuse({has_source ? "tokenizer.source_model" : "tokenizer.target_model", "tokenizer.kind"},
                 "expected kind: sentencepiece for a .model file, found another kind; set it, or drop this key");
  }
}

void check_validation(const DataSettings& data, const ValidationSettings& validation, const Blame& blame) {
  const bool is_of_translations = validation.metric == Metric::bleu || validation.metric == Metric::exact_match;
  if (is_of_translations && !validation.translate) {
    blame.refuse({"training.validation.translate", "training.validation.metric"},
                 "expected true, because training.validation.metric is measured on translations, found false; set "
                 "metric to loss, perplexity or token_accuracy");
  }
  if (data.valid.empty() && validation.patience > 0) {
    blame.refuse({"training.validation.patience", "data.valid"},
                 fmt::format("expected 0, because data.valid is \"\" and there are no validations, found {}; name a "
                             "validation text, or limit training by updates, epochs or minutes",
                             validation.patience));
  }
}

void check_training(const DataSettings& data, const TrainingSettings& training, const RunSettings& run,
                    const Blame& blame) {
  if (training.max_updates == 0 && run.max_epochs == 0 && run.max_minutes == 0) {
    blame.refuse({"training.max_updates", "training.max_epochs", "training.max_minutes"},
                 "max_updates, max_epochs and max_minutes are all 0, so training would never end; set at least one");
  }
  check_validation(data, run.validation, blame);
  if (training.schedule.kind != ScheduleSettings::Kind::cosine) {
    return;
  }
  if (training.max_updates == 0) {
    blame.refuse({"training.schedule.kind", "training.max_updates"},
                 "the cosine schedule ends at max_updates; set training.max_updates above 0");
  }
  if (training.schedule.warmup >= training.max_updates) {
    blame.refuse({"training.schedule.warmup", "training.max_updates", "training.schedule.kind"},
                 fmt::format("expected warmup below training.max_updates {}, found {}; cosine needs updates afterwards",
                             training.max_updates, training.schedule.warmup));
  }
}

void check_rules(const Config& config, const Blame& blame) {
  check_model(config.model, config.tokenizer, blame);
  check_tokenizer(config.tokenizer, blame);
  check_training(config.data, config.training, config.run, blame);
}

/// The checkpoint that model.from names; if it names a run, the run's best one.
fs::path starting_checkpoint(const fs::path& from, const Blame& blame) try {
  return resolve_checkpoint(from);
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

/// \throws UserError whose message starts with `place`: one side of a text is missing or cannot be opened
void check_text(const std::string& place, const DataSettings& data, const TextSide& side) {
  const fs::path file = side.is_source ? data.source_file(side.name) : data.target_file(side.name);
  std::error_code error;
  if (fs::status(file, error).type() == fs::file_type::not_found) {
    if (const std::string hint = hint_about_names(data, side); !hint.empty()) {
      throw UserError(place + "no file " + file.string() + "; " + hint);
    }
  }
  check_file(place, file);
}

/// \throws UserError: a file that the config names does not exist or cannot be opened
void check_files(const Config& config, const Blame& blame) {
  const DataSettings& data = config.data;
  std::error_code error;
  const fs::file_status status = fs::status(data.directory, error);
  if (error == std::errc::io_error) {
    throw_disk_error("cannot be read", data.directory, error);
  }
  if (!fs::is_directory(status)) {
    blame.refuse({"data.directory"},
                 fs::exists(status) ? "expected a directory, found the file " + data.directory.string()
                                    : "no directory " + data.directory.string() + "; " + suggest_file(data.directory));
  }
  const auto check_pair = [&](const std::string& key, const std::string& name) {
    check_text(blame.at({key, "data.source_language", "data.directory"}), data,
               {key, name, data.source_language, data.target_language, true});
    check_text(blame.at({key, "data.target_language", "data.directory"}), data,
               {key, name, data.target_language, data.source_language, false});
  };
  check_pair("data.train", data.train);
  if (!data.valid.empty()) {
    check_pair("data.valid", data.valid);
  }
  for (const std::string& name : data.tests) {
    check_pair("data.tests", name);
  }
}

/// \throws UserError: a .model file that the config names does not exist or cannot be opened
void check_tokenizer_files(const TokenizerSettings& tokenizer, const Blame& blame) {
  const fs::path& source = tokenizer.source_model;
  const fs::path& target = tokenizer.target_model;
  if (!source.empty()) {
    check_file(blame.at({"tokenizer.source_model"}), source);
  }
  if (!target.empty()) {
    check_file(blame.at({"tokenizer.target_model"}), target);
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

/// \throws UserError: a number that training would round to one that is not allowed. (A checkpoint may have such a
/// number: it is not trained any more.)
void check_precision(Config& config, const Blame& blame) {
  for (const Key& key : keys_of(config)) {
    if (!key.field.single_precision || key.name == "training.max_minutes") {
      continue;
    }
    if (const std::string problem = key.field.single_precision(); !problem.empty()) {
      blame.refuse({key.name}, problem);
    }
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
    spdlog::info("without effect: {} (a resumed run has its own tokenizers and weights)", fmt::join(ignored, ", "));
  }
}

}  // namespace

Config read_config(const fs::path& file, const std::vector<std::string>& overrides,
                   const std::optional<fs::path>& resumed) {
  Config config;
  Config before;  // without the keys of this file
  Blame blame{read_keys(keys_of(config), file, overrides), file};
  warn_about_retired_keys(blame.places);
  if (!config.model_from.empty()) {
    // Keys that are left out are taken from that model. A run that has a checkpoint has taken them already, so it can
    // be resumed without the model that it started from.
    const fs::path from = resumed ? fs::path() : starting_checkpoint(config.model_from, blame);
    const Config model =
        resumed ? read_config_of_checkpoint(*resumed / "config.yaml", false) : read_config_of_model(from);
    config = {};
    config.model = model.model;
    config.tokenizer = model.tokenizer;
    config.decoding = model.decoding;
    if (!resumed) {
      config.tokenizer.source_model = config.tokenizer.target_model = "";  // the model's directory has them
    }
    before = config;
    blame.places = read_keys(keys_of(config), file, overrides);
    if (!resumed) {
      config.model_from = from;
    }
    if (!resumed) {
      check_same_model(changed_keys(model, config), blame);
    }
  }
  check_rules(config, blame);
  check_precision(config, blame);
  check_files(config, blame);
  if (resumed && fs::exists(*resumed / kConfigFile)) {
    keep_origin(config, read_config_of_checkpoint(*resumed / kConfigFile, false));
  }
  if (!resumed) {
    check_tokenizer_files(config.tokenizer, blame);  // a checkpoint has its own copy
  }
  warn_about_idle_keys(before, config, blame.places);
  return config;
}

std::vector<std::string> set_use_of_model(Config& config, const std::vector<std::string>& overrides) {
  std::vector<Key> keys = keys_of(config);
  std::vector<std::string> others;
  std::vector<std::string> allowed;
  for (const Key& key : keys) {
    const bool is_allowed = key.name.starts_with("decoding.") || key.name.starts_with("evaluation.");
    (is_allowed ? allowed : others).push_back(key.name);
  }
  for (const RetiredKey& key : retired_keys()) {
    others.push_back(key.name);
  }
  for (const std::string& text : overrides) {
    const std::string name = text.substr(0, text.find('='));
    if (std::ranges::find(others, name) == others.end()) {
      continue;
    }
    std::string list;
    for (const std::string& key : allowed) {
      list += (list.empty() ? "" : ", ") + key;
    }
    throw UserError(
        fmt::format("--set {}: expected a key that a trained model can be used with, found {}, which "
                    "belongs to its training; the keys are {}",
                    brief(text), name, list));
  }
  std::erase_if(keys, [&](const Key& key) { return std::ranges::find(allowed, key.name) == allowed.end(); });
  std::vector<std::string> set;
  for (const auto& [name, place] : read_overrides(keys, overrides)) {
    set.push_back(name);
  }
  return set;
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

bool is_of_shape(const std::string& key) {
  static const std::vector<std::string> kShape = {
      "model.d_model",  "model.heads",      "model.encoder_layers",  "model.decoder_layers",   "model.d_ff",
      "model.norm",     "model.activation", "model.tied_embeddings", "model.scale_embeddings", "tokenizer.kind",
      "tokenizer.joint"};
  return std::ranges::find(kShape, key) != kShape.end();
}

std::vector<ChangedKey> changed_keys(const Config& before, const Config& after) {
  // clang-format off
  static const std::vector<std::string> kHarmless = {
      "data.directory", "data.train", "data.tests", "tokenizer.source_model",
      "tokenizer.target_model", "model.from", "training.max_updates", "training.max_epochs", "training.max_minutes",
      "training.max_skipped", "training.log_every", "training.validation.every", "training.validation.unit",
      "training.validation.patience", "training.validation.translate", "training.validation.samples", "training.checkpoints.", "decoding.",
      "evaluation."};
  // clang-format on
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

std::string write_config(const Config& config) {
  Config copy = config;
  Config default_config;  // the table needs fields that it can write
  const std::vector<Key> keys = keys_of(copy);
  const std::vector<Key> defaults = keys_of(default_config);
  std::string text = std::string(kConfigBeginning) +
                     ": every key is written out, and every path is absolute.\n"
                     "# Glassformer replaces this file when the run is resumed, so keep your own notes elsewhere.\n";
  std::string open;  // the section of the last key; the keys of a section are adjacent
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& name = keys[i].name;
    const std::string section = section_of(name);
    const std::string indent(2 * static_cast<std::size_t>(std::ranges::count(name, '.')), ' ');
    if (section != open) {
      const bool nested = !section_of(section).empty();
      text += (nested ? indent.substr(2) : "\n") + last_part(section) + ":\n";
      open = section;
    }
    const std::string given = indent + last_part(name) + ": " + keys[i].field.write();
    const Field& fallback = defaults[i].field;
    text += fmt::format("{:30}  # {} ({})\n", given, keys[i].comment,
                        fallback.has_value() ? "default " + fallback.write() : "required");
  }
  return text;
}

}  // namespace glassformer

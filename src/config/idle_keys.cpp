#include "glassformer/config/idle_keys.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "glassformer/config/changed_keys.hpp"

namespace glassformer {
namespace {

using OptimizerKind = OptimizerSettings::Kind;

/// Why a key of the section tokenizer cannot change the tokenizers; "" if it can.
std::string why_tokenizer_key_is_idle(const std::string& key, const Config& config) {
  const TokenizerSettings& tokenizer = config.tokenizer;
  if (!config.model_from.empty()) {
    return "the tokenizers are those of model.from";
  }
  const bool is_of_subwords =
      key == "tokenizer.model" || key == "tokenizer.normalization" || key == "tokenizer.character_coverage";
  if (tokenizer.kind == TokenizerKind::word) {
    return is_of_subwords ? "tokenizer.kind is word" : "";
  }
  if (key == "tokenizer.min_frequency") {
    return "only tokenizer.kind word uses it";
  }
  const bool trains_source = tokenizer.source_model.empty();
  const bool trains_target = tokenizer.joint ? trains_source : tokenizer.target_model.empty();
  const char* const from_file = "the tokenizer comes from a .model file";
  if (key == "tokenizer.source_vocabulary_size" && !trains_source) {
    return from_file;
  }
  if (key == "tokenizer.target_vocabulary_size" && !trains_target) {
    return from_file;
  }
  const bool is_of_both = is_of_subwords || key == "tokenizer.vocabulary_size";
  return is_of_both && !trains_source && !trains_target ? from_file : "";
}

/// Why a key has no effect in this config; "" if it has one.
std::string why_idle(const std::string& key, const Config& config) {
  if (key.starts_with("tokenizer.")) {
    return why_tokenizer_key_is_idle(key, config);
  }
  const ScheduleSettings& schedule = config.training.schedule;
  const bool validates = !config.data.valid.empty();
  const bool translates = validates && config.run.validation.translate;
  const struct {
    const char* key;
    bool is_idle;
    const char* why;
  } rules[] = {
      {"training.optimizer.momentum", config.training.optimizer.kind != OptimizerKind::muon, "only muon uses it"},
      {"training.schedule.final_rate", schedule.kind != ScheduleSettings::Kind::cosine, "only cosine uses it"},
      {"training.schedule.initial_rate", schedule.warmup == 0, "there is no warm-up"},
      {"training.validation.metric", !validates, "there is no validation text"},
      {"training.validation.samples", !translates, "validations do not translate"},
      {"training.checkpoints.average", config.run.checkpoints.average == 1,
       "the mean of one checkpoint is that checkpoint"},
      {"decoding.length_penalty", config.decoding.beam == 1, "greedy search (beam 1) does not use it"},
      {"decoding.early_stopping", config.decoding.beam == 1, "greedy search (beam 1) does not use it"}};
  for (const auto& rule : rules) {
    if (key == rule.key && rule.is_idle) {
      return rule.why;
    }
  }
  return "";
}

}  // namespace

void warn_about_idle_keys(const Config& before, const Config& config, const Places& places) {
  std::vector<std::string> list;
  for (const ChangedKey& key : changed_keys(before, config)) {
    const auto place = places.find(key.name);
    if (place == places.end() || place->second.distance > 1) {
      continue;
    }
    if (const std::string why = why_idle(key.name, config); !why.empty()) {
      list.push_back(fmt::format("{} ({})", place->second.name, why));
    }
  }
  if (!list.empty()) {
    spdlog::warn("keys with no effect: {}", fmt::join(list, ", "));
  }
}

}  // namespace glassformer

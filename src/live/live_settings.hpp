#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "glassformer/glassformer.hpp"
#include "glassformer/schema/decoding.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"
#include "glassformer/settings/text.hpp"

/// The settings of a page that trains: the keys of a config file that make sense without files.
namespace glassformer {

struct LiveSettings {
  TransformerSettings model;
  TrainingSettings training;
  DecodingSettings decoding;
  bool joint = false;                            ///< tokenizer.joint
  Index vocabulary_size = 8000;                  ///< tokenizer.vocabulary_size
  Index min_frequency = 1;                       ///< tokenizer.min_frequency
  Index max_length = DataSettings().max_length;  ///< data.max_length
};

/// Calls visit for each key, as for_each_setting does, with the key's whole name: "training.optimizer.beta1".
void for_each_key(LiveSettings& settings, const auto& visit) {
  const auto in = [&](const std::string& section) {
    return [&visit, section](const char* name, const std::string& meaning, auto& field, const auto&... accepts) {
      visit(section + "." + name, meaning, field, accepts...);
    };
  };
  visit(std::string("data.max_length"), "tokens; training leaves out pairs that are longer on either side",
        settings.max_length, 1, kMostPositions - 1);
  visit(std::string("tokenizer.joint"), "true: one vocabulary for both languages; false: one for each", settings.joint);
  visit(std::string("tokenizer.vocabulary_size"), "special tokens included; an upper limit", settings.vocabulary_size,
        kLeastVocabulary, kMostVocabulary);
  visit(std::string("tokenizer.min_frequency"), "words that occur less often become <unk>", settings.min_frequency, 1,
        kMany);
  for_each_setting(settings.model, in("model"));
  for_each_setting(settings.model.masks, in("masks"));
  for_each_setting(settings.training, in("training"));
  for_each_setting(settings.training.optimizer, in("training.optimizer"));
  for_each_setting(settings.training.schedule, in("training.schedule"));
  for_each_setting(settings.decoding, in("decoding"));
}

/// Every key: key, meaning, value, and what it accepts: kind (integer, number, choice, switch); least and most, words,
/// or choices.
nlohmann::ordered_json settings_json(const LiveSettings& settings);

/// Reads lines "key: value", the last of which counts if a key is given twice. A key that is not given keeps its value.
/// Refuses an unknown key or a wrong value as a config file would: "model.heads: expected ..., found ...".
LiveSettings read_settings(std::string_view lines, LiveSettings settings);

}  // namespace glassformer

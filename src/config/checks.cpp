#include "config/checks.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <system_error>

#include "config/suggestion.hpp"
#include "files/user_error.hpp"
#include "marian/marian_config.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Says where a rule between keys is broken.
struct Blame {
  const Places& places;
  const fs::path& file;

  /// The one of these keys that was given nearest: by --set, or else in the file, or else in its base. Among equals it
  /// is the first.
  std::string at(std::initializer_list<std::string> keys) const {
    const Place* nearest = nullptr;
    for (const std::string& key : keys)
      if (const auto found = places.find(key);
          found != places.end() && (nearest == nullptr || found->second.distance < nearest->distance))
        nearest = &found->second;
    return (nearest != nullptr ? nearest->name : file.string() + ": " + *keys.begin()) + ": ";
  }
  [[noreturn]] void refuse(std::initializer_list<std::string> keys, const std::string& why) const {
    throw UserError(at(keys) + why);
  }
};

Index nearest_divisor(Index wanted, Index number) {
  Index best = 1;
  for (Index divisor = 1; divisor <= number; ++divisor)
    if (number % divisor == 0 && std::abs(divisor - wanted) <= std::abs(best - wanted)) best = divisor;
  return best;
}

void check_model(const TransformerSettings& model, const TokenizerSettings& tokenizer, const Blame& blame) {
  if (model.d_model % 2 != 0)
    blame.refuse(
        {"model.d_model"},
        fmt::format("expected an even number, found {}; positions are half sines, half cosines", model.d_model));
  if (model.d_model % model.heads != 0)
    blame.refuse({"model.heads", "model.d_model"},
                 fmt::format("{} heads do not divide d_model {}; choose a divisor, for example {}", model.heads,
                             model.d_model, nearest_divisor(model.heads, model.d_model)));
  if (model.tied_embeddings == Tying::all && !tokenizer.joint)
    blame.refuse({"model.tied_embeddings", "tokenizer.joint"},
                 "tied_embeddings all needs one vocabulary for both languages; set tokenizer.joint: true or "
                 "tied_embeddings: target");
}

void check_tokenizer(const TokenizerSettings& tokenizer, const Blame& blame) {
  if (tokenizer.joint && !tokenizer.target_model.empty())
    blame.refuse({"tokenizer.target_model", "tokenizer.joint"},
                 "a joint tokenizer has one model; name it as source_model and leave target_model \"\"");
  if (tokenizer.kind == TokenizerKind::sentencepiece) return;
  if (tokenizer.sampling > 0 && tokenizer.kind == TokenizerKind::word)
    blame.refuse({"tokenizer.sampling", "tokenizer.kind"},
                 "words are not cut into pieces; set tokenizer.kind: sentencepiece or tokenizer.sampling: 0");
  const bool has_source = !tokenizer.source_model.empty();
  if (has_source || !tokenizer.target_model.empty())
    blame.refuse({has_source ? "tokenizer.source_model" : "tokenizer.target_model", "tokenizer.kind"},
                 "a given .model file needs tokenizer.kind: sentencepiece, found another");
}

void check_training(const TrainingSettings& training, const RunSettings& run, const Blame& blame) {
  if (training.max_updates == 0 && run.max_epochs == 0 && run.max_minutes == 0)
    blame.refuse({"training.max_updates", "training.max_epochs", "training.max_minutes"},
                 "max_updates, max_epochs and max_minutes are all 0, so training would never end; set one");
  if (training.schedule.kind != ScheduleSettings::Kind::cosine) return;
  if (training.max_updates == 0)
    blame.refuse({"training.schedule.kind", "training.max_updates"},
                 "cosine falls until max_updates; set training.max_updates above 0");
  if (training.schedule.warmup >= training.max_updates)
    blame.refuse({"training.schedule.warmup", "training.max_updates", "training.schedule.kind"},
                 fmt::format("warmup {} leaves cosine no updates; expected less than training.max_updates {}",
                             training.schedule.warmup, training.max_updates));
}

}  // namespace

void check_rules(const Config& config, const Places& places, const fs::path& file) {
  const Blame blame{places, file};
  check_model(config.model, config.tokenizer, blame);
  check_tokenizer(config.tokenizer, blame);
  check_training(config.training, config.run, blame);
}

void check_model_from(const fs::path& model, const Places& places, const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(model / "model.safetensors", error)) return;
  std::string why = saved_otherwise(model);
  if (why.empty() && fs::exists(model / "best", error))
    why = fmt::format("expected a checkpoint, found the run {0}; give {0}/best", model.string());
  if (why.empty())
    why = fmt::format(
        "expected a directory with a model.safetensors, found {} {}; give a checkpoint, for example "
        "runs/toy/best",
        fs::exists(model, error) ? "none in" : "no", model.string());
  Blame{places, file}.refuse({"model.from"}, why);
}

void check_same_model(const std::vector<ChangedKey>& changed, const Places& places, const fs::path& file) {
  static const std::vector<std::string> kShape = {
      "model.d_model",  "model.heads",      "model.encoder_layers",  "model.decoder_layers",   "model.d_ff",
      "model.norm",     "model.activation", "model.tied_embeddings", "model.scale_embeddings", "tokenizer.kind",
      "tokenizer.joint"};
  for (const ChangedKey& key : changed) {
    if (std::ranges::find(kShape, key.name) == kShape.end()) continue;
    Blame{places, file}.refuse({key.name},
                               fmt::format("expected {}, as in the model that model.from names, found {}; leave the "
                                           "key out",
                                           key.before, key.after));
  }
}

void check_file(const std::string& place, const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw UserError(place + "expected a file, found the directory " + file.string());
  if (!fs::exists(file, error)) throw UserError(place + "no file " + file.string() + "; " + suggest_file(file));
  if (!fs::is_regular_file(file, error))  // opening a pipe waits until there is a writer
    throw UserError(place + "expected a file, which is read more than once, found a pipe or a device: " +
                    file.string() + "; write its text to a file first");
  if (!std::ifstream(file)) throw UserError(place + "cannot open " + file.string() + "; may you read it?");
}

void check_files(const Config& config, const Places& places, const fs::path& file) {
  const Blame blame{places, file};
  const DataSettings& data = config.data;
  std::error_code error;
  if (fs::is_regular_file(data.directory, error))
    blame.refuse({"data.directory"}, "expected a directory, found the file " + data.directory.string());
  if (!fs::is_directory(data.directory, error))
    blame.refuse({"data.directory"}, "no directory " + data.directory.string() + "; " + suggest_file(data.directory));
  const auto check_pair = [&](const std::string& key, const std::string& name) {
    check_file(blame.at({key, "data.source_language", "data.directory"}), data.source_file(name));
    check_file(blame.at({key, "data.target_language", "data.directory"}), data.target_file(name));
  };
  check_pair("data.train", data.train);
  check_pair("data.valid", data.valid);
  for (const std::string& name : data.tests) check_pair("data.tests", name);
  const TokenizerSettings& tokenizer = config.tokenizer;
  if (!tokenizer.source_model.empty()) check_file(blame.at({"tokenizer.source_model"}), tokenizer.source_model);
  if (!tokenizer.target_model.empty()) check_file(blame.at({"tokenizer.target_model"}), tokenizer.target_model);
}

}  // namespace glassformer

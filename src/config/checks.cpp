#include "config/checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "config/suggestion.hpp"
#include "files/user_error.hpp"
#include "marian/marian_config.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Says where a rule between keys is broken.
class Blame {
 public:
  Blame(const Places& places, const fs::path& file) : places_(places), file_(file.string()) {}

  /// The one of these keys that was given nearest: by --set, or else in the file, or else in its base. Among equals it
  /// is the first.
  std::string at(std::initializer_list<std::string> keys) const {
    const Place* nearest = nullptr;
    for (const std::string& key : keys)
      if (const auto found = places_.find(key);
          found != places_.end() && (nearest == nullptr || found->second.distance < nearest->distance))
        nearest = &found->second;
    return (nearest != nullptr ? nearest->name : file_ + ": " + *keys.begin()) + ": ";
  }

 private:
  const Places& places_;
  std::string file_;
};

Index nearest_divisor(Index wanted, Index number) {
  Index best = 1;
  for (Index divisor = 1; divisor <= number; ++divisor)
    if (number % divisor == 0 && std::abs(divisor - wanted) <= std::abs(best - wanted)) best = divisor;
  return best;
}

void check_model(const TransformerSettings& model, const TokenizerSettings& tokenizer, const Blame& blame) {
  if (model.d_model % 2 != 0)
    throw UserError(blame.at({"model.d_model"}) + "expected an even number, found " + std::to_string(model.d_model) +
                    "; positions are half sines, half cosines");
  if (model.d_model % model.heads != 0)
    throw UserError(blame.at({"model.heads", "model.d_model"}) + std::to_string(model.heads) +
                    " heads do not divide d_model " + std::to_string(model.d_model) +
                    "; choose a divisor, for example " + std::to_string(nearest_divisor(model.heads, model.d_model)));
  if (model.tied_embeddings == Tying::all && !tokenizer.joint)
    throw UserError(blame.at({"model.tied_embeddings", "tokenizer.joint"}) +
                    "tied_embeddings all needs one vocabulary for both languages; "
                    "set tokenizer.joint: true or tied_embeddings: target");
}

void check_tokenizer(const TokenizerSettings& tokenizer, const Blame& blame) {
  if (tokenizer.joint && !tokenizer.target_model.empty())
    throw UserError(blame.at({"tokenizer.target_model", "tokenizer.joint"}) +
                    "a joint tokenizer has one model; name it as source_model and leave target_model \"\"");
  if (tokenizer.kind == TokenizerKind::sentencepiece) return;
  if (tokenizer.sampling > 0 && tokenizer.kind == TokenizerKind::word)
    throw UserError(blame.at({"tokenizer.sampling", "tokenizer.kind"}) +
                    "words are not cut into pieces; set tokenizer.kind: sentencepiece or tokenizer.sampling: 0");
  for (const auto& [key, model] : {std::pair("tokenizer.source_model", tokenizer.source_model),
                                   std::pair("tokenizer.target_model", tokenizer.target_model)})
    if (!model.empty())
      throw UserError(blame.at({key, "tokenizer.kind"}) +
                      "a given .model file needs tokenizer.kind: sentencepiece, found another");
}

void check_training(const TrainingSettings& training, const RunSettings& run, const Blame& blame) {
  if (training.max_updates == 0 && run.max_epochs == 0 && run.max_minutes == 0)
    throw UserError(blame.at({"training.max_updates", "training.max_epochs", "training.max_minutes"}) +
                    "max_updates, max_epochs and max_minutes are all 0, so training would never end; set one");
  if (training.schedule.kind != ScheduleSettings::Kind::cosine) return;
  if (training.max_updates == 0)
    throw UserError(blame.at({"training.schedule.kind", "training.max_updates"}) +
                    "cosine falls until max_updates; set training.max_updates above 0");
  if (training.schedule.warmup >= training.max_updates)
    throw UserError(blame.at({"training.schedule.warmup", "training.max_updates", "training.schedule.kind"}) +
                    "warmup " + std::to_string(training.schedule.warmup) +
                    " leaves cosine no updates; expected less than training.max_updates " +
                    std::to_string(training.max_updates));
}

}  // namespace

void check_rules(const Config& config, const Places& places, const fs::path& file) {
  const Blame blame(places, file);
  check_model(config.model, config.tokenizer, blame);
  check_tokenizer(config.tokenizer, blame);
  check_training(config.training, config.run, blame);
}

void check_model_from(const fs::path& model, const Places& places, const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(model / "model.safetensors", error)) return;
  const std::string place = Blame(places, file).at({"model.from"});
  if (const std::string other = saved_otherwise(model); !other.empty()) throw UserError(place + other);
  if (fs::exists(model / "best", error))
    throw UserError(place + "expected a checkpoint, found the run " + model.string() + "; give " +
                    (model / "best").string());
  throw UserError(place + "expected a directory with a model.safetensors, found " +
                  (fs::exists(model, error) ? "none in " : "no ") + model.string() +
                  "; give a checkpoint, for example runs/toy/best");
}

void check_same_model(const std::vector<ChangedKey>& changed, const Places& places, const fs::path& file) {
  static const std::vector<std::string> kShape = {
      "model.d_model",  "model.heads",      "model.encoder_layers",  "model.decoder_layers",   "model.d_ff",
      "model.norm",     "model.activation", "model.tied_embeddings", "model.scale_embeddings", "tokenizer.kind",
      "tokenizer.joint"};
  for (const ChangedKey& key : changed) {
    if (std::find(kShape.begin(), kShape.end(), key.name) == kShape.end()) continue;
    throw UserError(Blame(places, file).at({key.name}) + "expected " + key.before + ", as in the model that " +
                    "model.from names, found " + key.after + "; leave the key out");
  }
}

void check_file(const std::string& place, const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw UserError(place + "expected a file, found the directory " + file.string());
  if (!fs::exists(file, error)) throw UserError(place + "no file " + file.string() + "; " + suggest_file(file));
  if (!fs::is_regular_file(file, error))  // a pipe would not even let itself be opened before there is a writer
    throw UserError(place + "expected a file, which is read more than once, found a pipe or a device: " +
                    file.string() + "; write its text to a file first");
  if (!std::ifstream(file)) throw UserError(place + "cannot open " + file.string() + "; may you read it?");
}

void check_files(const Config& config, const Places& places, const fs::path& file) {
  const Blame blame(places, file);
  const DataSettings& data = config.data;
  std::error_code error;
  if (fs::is_regular_file(data.directory, error))
    throw UserError(blame.at({"data.directory"}) + "expected a directory, found the file " + data.directory.string());
  if (!fs::is_directory(data.directory, error))
    throw UserError(blame.at({"data.directory"}) + "no directory " + data.directory.string() + "; " +
                    suggest_file(data.directory));
  const auto check_pair = [&](const std::string& key, const std::string& name) {
    check_file(blame.at({key, "data.source_language", "data.directory"}), data.source_file(name));
    check_file(blame.at({key, "data.target_language", "data.directory"}), data.target_file(name));
  };
  check_pair("data.train", data.train);
  check_pair("data.valid", data.valid);
  for (const std::string& name : data.tests) check_pair("data.tests", name);
  if (!config.tokenizer.source_model.empty())
    check_file(blame.at({"tokenizer.source_model"}), config.tokenizer.source_model);
  if (!config.tokenizer.target_model.empty())
    check_file(blame.at({"tokenizer.target_model"}), config.tokenizer.target_model);
}

}  // namespace glassformer

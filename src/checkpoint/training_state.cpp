#include "checkpoint/training_state.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "checkpoint/safetensors.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kStateFile = "training_state.safetensors";

/// JSON has no word for infinite numbers.
json encode(double number) {
  if (std::isfinite(number)) return number;
  if (std::isnan(number)) return "nan";
  return number > 0 ? "inf" : "-inf";
}

double decode(const json& number) {
  if (number == "inf") return std::numeric_limits<double>::infinity();
  if (number == "-inf") return -std::numeric_limits<double>::infinity();
  if (number == "nan") return std::numeric_limits<double>::quiet_NaN();
  return number.get<double>();
}

std::vector<float> read_moments(const Safetensors& file, const char* name, Index parameters,
                                const fs::path& path) {
  const TensorPlace* const found = file.find(name);
  if (found == nullptr) throw UserError(path.string() + ": the tensor " + name + " is missing.");
  if (found->shape != std::vector<Index>{parameters}) {
    throw UserError(path.string() + ": the tensor " + name + " has the shape " + json(found->shape).dump() +
                    ", but the model has " + std::to_string(parameters) +
                    " parameters. The file belongs to another model.");
  }
  const std::span<const float> values = file.values_of(*found);
  return {values.begin(), values.end()};
}

}  // namespace

std::string write_progress(const RunProgress& progress) {
  const nlohmann::ordered_json object = {{"update", progress.update},
                                         {"epoch", progress.epoch},
                                         {"batch", progress.batch},
                                         {"validated", progress.validated},
                                         {"best_figure", encode(progress.best_figure)},
                                         {"best_update", progress.best_update},
                                         {"without_best", progress.without_best},
                                         {"skipped", progress.skipped},
                                         {"skipped_in_row", progress.skipped_in_row},
                                         {"minutes", encode(progress.minutes)},
                                         {"text_lines", progress.text},
                                         {"valid_text_lines", progress.valid_text}};
  return object.dump();
}

RunProgress read_progress(const std::string& text, const std::string& place) try {
  const json object = json::parse(text);
  const auto count = [&](const char* key) {
    const json& number = object.at(key);
    if (!number.is_number_unsigned() || number.get<Index>() < 0) {
      throw UserError(place + ": the progress of the training is damaged: \"" + key +
                      "\" should be a whole number, found " + number.dump() + ".");
    }
    return number.get<Index>();
  };
  constexpr Index kMostUpdates = std::numeric_limits<std::uint32_t>::max();  // a counter of the random numbers
  RunProgress progress;
  progress.update = count("update");
  if (progress.update >= kMostUpdates) throw UserError(place + ": the progress of the training is damaged: \"update\".");
  progress.epoch = count("epoch");
  progress.batch = count("batch");
  progress.validated = count("validated");
  progress.best_figure = decode(object.at("best_figure"));
  progress.best_update = count("best_update");
  progress.without_best = count("without_best");
  const auto count_or_0 = [&](const char* key) { return object.contains(key) ? count(key) : 0; };
  progress.skipped = count_or_0("skipped");  // what follows, checkpoints of version 0.1.0 do not have
  progress.skipped_in_row = count_or_0("skipped_in_row");
  if (const Index part = count_or_0("part"); part > 0) {
    throw UserError(place + ": expected the state of a training that reads its text as a whole, found part " +
                    std::to_string(part) +
                    " of a text that version 0.1 read in parts (data.lines_in_memory). Continue "
                    "this run with version 0.1, or begin another with model.from: this checkpoint.");
  }
  progress.text = count_or_0("text_lines");
  progress.valid_text = count_or_0("valid_text_lines");
  progress.minutes = decode(object.at("minutes"));
  return progress;
} catch (const json::exception& error) {
  throw UserError(place + ": the progress of the training is damaged: " + error.what() + ".");
}

void write_training_state(const fs::path& directory, const TrainingStateView& state) {
  assert(state.adam_m.size() == state.adam_v.size());
  const std::vector<Index> shape{static_cast<Index>(state.adam_m.size())};
  write_safetensors(directory / kStateFile, {{"adam.m", shape, state.adam_m}, {"adam.v", shape, state.adam_v}},
                    {{"progress", write_progress(state.progress)}});
}

TrainingState read_training_state(const fs::path& directory, Index parameters) {
  const fs::path path = directory / kStateFile;
  if (std::error_code ignored; !fs::exists(path, ignored)) {
    throw UserError(directory.string() + ": training cannot be continued from here: there is no " + kStateFile +
                    ". (The average of several checkpoints has none.)");
  }
  const Safetensors file = read_safetensors(path);
  const auto progress = file.metadata.find("progress");
  if (progress == file.metadata.end()) {
    throw UserError(path.string() + ": the progress of the training is missing from the file's metadata.");
  }
  return {read_moments(file, "adam.m", parameters, path), read_moments(file, "adam.v", parameters, path),
          read_progress(progress->second, path.string())};
}

}  // namespace glassformer

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/safetensors.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<Index>::max();
constexpr std::uint64_t kMostUpdates = 0xffff'fffe;  // the update is a 32-bit counter of the random numbers

/// A whole number of the progress.
struct Count {
  const char* key;
  Index RunProgress::*field;
  std::uint64_t most = kMost;
  bool required = true;  // false: version 0.1.0 did not write it
};
constexpr Count kCounts[] = {{"update", &RunProgress::update, kMostUpdates},
                             {"epoch", &RunProgress::epoch},
                             {"batch", &RunProgress::batch},
                             {"validated", &RunProgress::validated},
                             {"best_update", &RunProgress::best_update},
                             {"without_best", &RunProgress::without_best},
                             {"skipped", &RunProgress::skipped, kMost, false},
                             {"skipped_in_row", &RunProgress::skipped_in_row, kMost, false},
                             {"text_lines", &RunProgress::text, kMost, false},
                             {"valid_text_lines", &RunProgress::valid_text, kMost, false}};

/// JSON has no word for infinite numbers.
json encode(double number) {
  return std::isfinite(number) ? json(number) : json(fmt::format("{}", number));  // "inf", "-inf", "nan"
}

double decode(const json& number) {
  for (const double limit : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    if (number == encode(limit)) return limit;
  return number.get<double>();
}

void read_moments(const Safetensors& file, const char* name, std::span<float> moments, const fs::path& path) {
  const TensorPlace* const found = file.find(name);
  if (found == nullptr) throw UserError(fmt::format("{}: the tensor {} is missing.", path.string(), name));
  if (found->shape != std::vector<Index>{std::ssize(moments)})
    throw UserError(fmt::format(
        "{}: the tensor {} has the shape {}, but the model has {} parameters. The file belongs to another model.",
        path.string(), name, json(found->shape).dump(), moments.size()));
  std::ranges::copy(file.values_of(*found), moments.begin());
}

}  // namespace

std::string write_progress(const RunProgress& progress) {
  nlohmann::ordered_json object;
  for (const Count& count : kCounts) object[count.key] = progress.*count.field;
  object["best_figure"] = encode(progress.best_figure);
  object["minutes"] = encode(progress.minutes);
  return object.dump();
}

RunProgress read_progress(const std::string& text, const std::string& place) try {
  const json object = json::parse(text);
  if (const json part = object.value("part", json(0)); part != 0)
    throw UserError(
        fmt::format("{}: expected the state of a training that reads its text as a whole, found part {} of a text that "
                    "version 0.1 read in parts (data.lines_in_memory). Continue this run with version 0.1, or begin "
                    "another with model.from: this checkpoint.",
                    place, part.dump()));
  RunProgress progress;
  for (const auto& [key, field, most, required] : kCounts) {
    if (!required && !object.contains(key)) continue;
    const json& number = object.at(key);
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > most)
      throw UserError(fmt::format(
          "{}: the progress of the training is damaged: \"{}\" should be a whole number up to {}, found {}.", place,
          key, most, number.dump()));
    progress.*field = number.get<Index>();
  }
  progress.best_figure = decode(object.at("best_figure"));
  progress.minutes = decode(object.at("minutes"));
  return progress;
} catch (const json::exception& error) {
  throw UserError(fmt::format("{}: the progress of the training is damaged: {}.", place, error.what()));
}

void write_training_state(const fs::path& directory, const TrainingState& state) {
  assert(state.adam_m.size() == state.adam_v.size());
  const std::vector<Index> shape{static_cast<Index>(state.adam_m.size())};
  write_safetensors(directory / kStateFile, {{"adam.m", shape, state.adam_m}, {"adam.v", shape, state.adam_v}},
                    {{"progress", write_progress(state.progress)}});
}

RunProgress read_training_state(const fs::path& directory, std::span<float> adam_m, std::span<float> adam_v) {
  const fs::path path = directory / kStateFile;
  if (std::error_code ignored; !fs::exists(path, ignored))
    throw UserError(fmt::format(
        "{}: training cannot be continued from here: there is no {}. (The average of several checkpoints has none.)",
        directory.string(), kStateFile));
  const Safetensors file = read_safetensors(path);
  const auto progress = file.metadata.find("progress");
  if (progress == file.metadata.end())
    throw UserError(path.string() + ": the progress of the training is missing from the file's metadata.");
  read_moments(file, "adam.m", adam_m, path);
  read_moments(file, "adam.v", adam_v, path);
  return read_progress(progress->second, path.string());
}

}  // namespace glassformer

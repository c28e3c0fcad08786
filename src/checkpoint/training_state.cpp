#include "glassformer/checkpoint/training_state.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/files/json_file.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;

constexpr std::uint64_t kMostUpdates = 0xffff'fffe;      // the random numbers use the update as a 32-bit counter
constexpr std::uint64_t kMost = std::uint64_t{1} << 53;  // far more than any run has; adding to it cannot overflow
constexpr std::uint64_t kMostText = std::numeric_limits<Index>::max();  // fingerprints use all bits

/// An integer in the progress.
struct Count {
  const char* key = nullptr;
  Index RunProgress::*field = nullptr;
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
                             {"text_lines", &RunProgress::text, kMostText, false},
                             {"valid_text_lines", &RunProgress::valid_text, kMostText, false}};

/// JSON cannot represent infinity or NaN.
json encode(double number) {
  return std::isfinite(number) ? json(number) : json(fmt::format("{}", number));  // "inf", "-inf", "nan"
}

double decode(const json& number) {
  for (const double limit : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    if (number == encode(limit)) {
      return limit;
    }
  }
  return number.get<double>();
}

/// \throws UserError: a run of version 0.1 that read its text in parts
void refuse_parts(const json& object, const std::string& place) {
  if (const json part = object.value("part", json(0)); part != 0) {
    throw UserError(
        fmt::format("{}: expected the state of a run that reads its whole text, found part {} of a text that "
                    "version 0.1 read in parts (data.lines_in_memory). Continue this run with version 0.1, or start "
                    "another one with model.from set to this checkpoint.",
                    place, brief(part.dump())));
  }
}

void read_counts(const json& object, RunProgress& progress, const std::string& place) {
  for (const auto& [key, field, most, required] : kCounts) {
    if (!required && !object.contains(key)) {
      continue;
    }
    const json& number = object.at(key);
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > most) {
      throw UserError(
          fmt::format("{}: the training progress is damaged: expected \"{}\" to be an integer up to {}, found {}.",
                      place, key, most, brief(number.dump())));
    }
    progress.*field = number.get<Index>();
  }
}

/// \throws UserError: numbers that no run can have at the same time
void check_progress(const RunProgress& progress, const std::string& place) {
  const auto check = [&](bool holds, const std::string& expected) {
    if (!holds) {
      throw UserError(fmt::format("{}: the training progress is damaged: expected {}.", place, expected));
    }
  };
  check(progress.validated <= progress.update, "\"validated\" to be at most \"update\"");
  check(progress.best_update <= progress.update, "\"best_update\" to be at most \"update\"");
  check(progress.skipped <= progress.update, "\"skipped\" to be at most \"update\"");
  check(progress.skipped_in_row <= progress.skipped, "\"skipped_in_row\" to be at most \"skipped\"");
  check(progress.minutes >= 0 && std::isfinite(progress.minutes), "\"minutes\" to be a number of at least 0");
}

void read_moments(const Safetensors& file, const char* name, std::span<float> moments, const fs::path& path) {
  const Safetensors::Tensor* const found = file.find(name);
  if (found == nullptr) {
    throw UserError(fmt::format("{}: the tensor {} is missing.", path.string(), name));
  }
  if (found->shape != std::vector<Index>{std::ssize(moments)}) {
    throw UserError(fmt::format(
        "{}: the tensor {} has the shape {}, but the model has {} parameters. The file belongs to another model.",
        path.string(), name, brief(json(found->shape).dump()), moments.size()));
  }
  file.read(*found, moments);
}

}  // namespace

std::string write_progress(const RunProgress& progress) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Count& count : kCounts) {
    object[count.key] = progress.*count.field;
  }
  object["best_figure"] = encode(progress.best_metric);  // the key's name in every version, for older checkpoints
  object["best_loss"] = encode(progress.best_loss);
  object["minutes"] = encode(progress.minutes);
  return object.dump();
}

RunProgress read_progress(const std::string& text, const std::string& place) try {
  const json object = parse_json(text, place);
  refuse_parts(object, place);
  RunProgress progress;
  read_counts(object, progress, place);
  progress.best_metric = decode(object.at("best_figure"));
  if (object.contains("best_loss")) {
    progress.best_loss = decode(object.at("best_loss"));  // since version 0.3
  }
  progress.minutes = decode(object.at("minutes"));
  check_progress(progress, place);
  return progress;
} catch (const json::exception& error) {
  throw UserError(fmt::format("{}: the training progress is damaged: {}.", place, brief(error.what(), 200)));
}

void write_training_state(const fs::path& directory, const TrainingState& state) {
  assert(state.adam_m.size() == state.adam_v.size());
  const std::vector<Index> shape{static_cast<Index>(state.adam_m.size())};
  write_safetensors(directory / kStateFile, {{"adam.m", shape, state.adam_m}, {"adam.v", shape, state.adam_v}},
                    {{"progress", write_progress(state.progress)}});
}

RunProgress read_training_state(const fs::path& directory, std::span<float> adam_m, std::span<float> adam_v) {
  const fs::path path = directory / kStateFile;
  if (std::error_code ignored; fs::status(path, ignored).type() == fs::file_type::not_found) {
    throw UserError(
        fmt::format("{}: cannot continue training from here: there is no {}. (An average of checkpoints has none.)",
                    directory.string(), kStateFile));
  }
  const Safetensors file(path);
  const auto progress = file.metadata().find("progress");
  if (progress == file.metadata().end()) {
    throw UserError(path.string() + ": the training progress is missing from the file's metadata.");
  }
  read_moments(file, "adam.m", adam_m, path);
  read_moments(file, "adam.v", adam_v, path);
  if (std::ranges::any_of(adam_v, [](float v) { return v < 0; })) {
    throw UserError(path.string() +
                    ": adam.v has a negative number, but it holds means of squares. The file is damaged: use another "
                    "checkpoint.");
  }
  return read_progress(progress->second, path.string());
}

}  // namespace glassformer

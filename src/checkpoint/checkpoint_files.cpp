// A checkpoint's files other than the model: the training state and the checksums.
#include <fcntl.h>
#include <openssl/evp.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/safetensors.hpp"
#include "files/durable_files.hpp"
#include "files/json_file.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kNameAt = 66;  // in a line of SHA256SUMS

/// The names of a checkpoint's files, apart from SHA256SUMS. None of them is read without being verified.
constexpr std::string_view kOwnFiles[] = {kModelFile,
                                          kStateFile,
                                          "config.yaml",
                                          "config.json",
                                          "generation_config.json",
                                          "source.spm",
                                          "tokenizer_config.json",
                                          "target.spm",
                                          "source.vocab.json",
                                          "vocab.json",
                                          "target.vocab.json",
                                          "target_vocab.json"};

constexpr std::uint64_t kMostUpdates = 0xffff'fffe;      // the random numbers use the update as a 32-bit counter
constexpr std::uint64_t kMost = std::uint64_t{1} << 53;  // far more than any run has; adding to it cannot overflow
constexpr std::uint64_t kMostText = std::numeric_limits<Index>::max();  // fingerprints use all bits

/// A whole number in the progress.
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

/// As sha256sum prints it: 64 digits, two spaces, the name.
std::string checksum_line(const fs::path& directory, const std::string& name) {
  return sha256_of(directory / name) + "  " + name;
}

UserError damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return UserError(
      fmt::format("{}: expected {}, found {}. The checkpoint is damaged: use another one, or copy it again. (If you "
                  "changed it on purpose, remove {}.)",
                  file.string(), expected, found, kChecksumFile));
}

}  // namespace

std::string sha256_of(const fs::path& file) {
  Descriptor input(file, O_RDONLY);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(1 << 18);
  std::size_t count = 0;
  for (auto left = fs::file_size(file); left > 0 && (count = input.read(buffer)) > 0; left -= std::min(left, count)) {
    ok = ok && EVP_DigestUpdate(context.get(), buffer.data(), count) == 1;
  }
  std::array<unsigned char, 32> digest{};
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    throw std::runtime_error(file.string() + ": OpenSSL cannot compute its SHA-256.");
  }
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256_of(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL cannot compute a SHA-256.");
  }
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string write_progress(const RunProgress& progress) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Count& count : kCounts) {
    object[count.key] = progress.*count.field;
  }
  object["best_figure"] = encode(progress.best_figure);
  object["best_loss"] = encode(progress.best_loss);
  object["minutes"] = encode(progress.minutes);
  return object.dump();
}

RunProgress read_progress(const std::string& text, const std::string& place) try {
  const json object = parse_json(text, place);
  if (const json part = object.value("part", json(0)); part != 0) {
    throw UserError(
        fmt::format("{}: expected the state of a run that reads its whole text, found part {} of a text that "
                    "version 0.1 read in parts (data.lines_in_memory). Continue this run with version 0.1, or start "
                    "another one with model.from set to this checkpoint.",
                    place, brief(part.dump())));
  }
  RunProgress progress;
  for (const auto& [key, field, most, required] : kCounts) {
    if (!required && !object.contains(key)) {
      continue;
    }
    const json& number = object.at(key);
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > most) {
      throw UserError(
          fmt::format("{}: the training progress is damaged: expected \"{}\" to be a whole number up to {}, found {}.",
                      place, key, most, brief(number.dump())));
    }
    progress.*field = number.get<Index>();
  }
  progress.best_figure = decode(object.at("best_figure"));
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
                    ": expected no negative number in adam.v, which holds means of squares, found one. " +
                    "The file is damaged: use another checkpoint.");
  }
  return read_progress(progress->second, path.string());
}

std::vector<std::string> other_files_in(const fs::path& checkpoint) {
  std::set<std::string> own(std::begin(kOwnFiles), std::end(kOwnFiles));
  own.insert(kChecksumFile);
  std::istringstream lines;
  if (fs::exists(fs::symlink_status(checkpoint / kChecksumFile))) {
    lines.str(read_checkpoint_file(checkpoint / kChecksumFile));
  }
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > kNameAt) {
      own.insert(line.substr(kNameAt));
    }
  }
  std::vector<std::string> names = names_in(checkpoint);
  std::erase_if(names, [&](const std::string& name) { return own.contains(name) || name.starts_with('.'); });
  return names;
}

void write_checksums(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kChecksumFile && name != kModelFile) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  names.emplace_back(kModelFile);  // last, so that a truncated list is noticed
  std::string lines;
  for (const std::string& name : names) {
    lines += checksum_line(directory, name) + '\n';
  }
  write_file_durably(directory / kChecksumFile, lines);
}

fs::path verify_checksums(const fs::path& directory, Verify which) try {
  if (!fs::exists(fs::symlink_status(directory / kChecksumFile))) {
    return directory;
  }
  std::istringstream lines(read_checkpoint_file(directory / kChecksumFile));
  lines.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  std::set<std::string> names;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string name = line.size() > kNameAt ? line.substr(kNameAt) : "";
    if (name.empty() || name.find('/') != std::string::npos || !names.insert(name).second) {
      throw damaged(directory / kChecksumFile, "a checksum and a new file name on each line",
                    "something else, or a repeated name, on line " + std::to_string(number));
    }
    if (which == Verify::but_training_state && name == kStateFile) {
      continue;
    }
    if (!fs::is_regular_file(directory / name)) {
      throw damaged(directory / name, "a file", "none");
    }
    check_checkpoint_file(directory / name, kUnlimited);
    if (const std::string found = checksum_line(directory, name); found != line) {
      throw damaged(directory / name, "the SHA-256 " + line.substr(0, 12) + "...", found.substr(0, 12) + "...");
    }
  }
  for (const std::string_view name : kOwnFiles) {
    const bool is_needed = name == kModelFile || fs::exists(fs::symlink_status(directory / name));
    if (is_needed && !names.contains(std::string(name))) {
      throw damaged(directory / kChecksumFile, "the checksum of " + std::string(name), "none");
    }
  }
  return directory;
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", error.path1(), error.code());
}

}  // namespace glassformer

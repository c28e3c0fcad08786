#include "glassformer/checkpoint/checkpoint.hpp"

#include <spdlog/spdlog.h>

#include <deque>
#include <set>
#include <sstream>

#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/durable_directories.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/unfinished.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/marian/marian_tensors.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// The tensors as the file stores them. Those with padding are copied into `padded`.
std::vector<NamedTensor> tensors_for_file(const Arena<float>& weights, std::deque<std::vector<float>>& padded) {
  std::vector<NamedTensor> result;
  for (const StoredTensor& entry : stored_tensors(weights.tensors())) {
    const TensorPlace& tensor = weights.tensors()[result.size()];
    std::span<const float> numbers(weights.values(tensor).data(), static_cast<std::size_t>(tensor.size));
    if (entry.padded_shape != entry.shape) {
      padded.emplace_back(numbers.begin(), numbers.end());
      padded.back().resize(static_cast<std::size_t>(entry.padded_shape[0] * entry.padded_shape[1]), entry.padding);
      numbers = padded.back();
    }
    result.push_back({tensor.name, entry.padded_shape, numbers});
  }
  return result;
}

/// Copies files that this program did not write from a checkpoint that is to be replaced to the new one.
void keep_other_files(const fs::path& replaced, const fs::path& unfinished) {
  const std::vector<std::string> others = other_files_in(replaced);
  for (const std::string& name : others) {
    fs::copy(replaced / name, unfinished / name, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  if (!others.empty()) {
    spdlog::warn("{}: replaced. Files in it that this program did not write were kept, but may no longer match it: {}",
                 replaced.string(), listed(others));
  }
}

}  // namespace

void save_checkpoint(const fs::path& directory, const DescribeModel& describe, const Arena<float>& weights,
                     const TrainingState* state) {
  std::error_code ignored;
  const bool replaces = fs::exists(fs::symlink_status(directory, ignored));
  if (replaces && !is_checkpoint(directory)) {
    throw UserError(fmt::format(
        "{}: this exists, but is not a checkpoint (it has no {}), so it is not replaced. Move it elsewhere, "
        "or choose another place.",
        directory.string(), kModelFile));
  }
  std::deque<std::vector<float>> padded;
  const std::vector<NamedTensor> model = tensors_for_file(weights, padded);
  write_directory_durably(directory, [&](const fs::path& unfinished) {
    describe(unfinished);
    if (state != nullptr) {
      write_training_state(unfinished, *state);
    }
    write_safetensors(unfinished / kModelFile, model);
    write_checksums(unfinished);
    if (replaces) {
      keep_other_files(directory, unfinished);
    }
  });
}

bool is_checkpoint(const fs::path& directory) {
  std::error_code reason;
  const fs::file_status status = fs::status(directory / kModelFile, reason);
  if (status.type() == fs::file_type::none) {
    throw_disk_error("cannot be read", directory / kModelFile, reason);
  }
  return !is_unfinished_name(directory) && fs::is_regular_file(status);
}

std::vector<std::string> other_files_in(const fs::path& checkpoint) {
  std::set<std::string> own(std::begin(kCheckpointFiles), std::end(kCheckpointFiles));
  own.insert(kChecksumFile);
  std::istringstream lines;
  if (fs::exists(fs::symlink_status(checkpoint / kChecksumFile))) {
    lines.str(read_checkpoint_file(checkpoint / kChecksumFile));
  }
  for (std::string line; std::getline(lines, line);) {
    own.insert(name_in_checksum_line(line));
  }
  std::vector<std::string> names = names_in(checkpoint);
  std::erase_if(names, [&](const std::string& name) { return own.contains(name) || name.starts_with('.'); });
  return names;
}

}  // namespace glassformer

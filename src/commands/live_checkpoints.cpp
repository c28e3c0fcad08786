#include "glassformer/commands/live_checkpoints.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <stdexcept>

#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSnapshots = 8;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of all snapshots

[[noreturn]] void throw_no_state(const fs::path& checkpoint) {
  throw UserError(checkpoint.string() + ": expected a checkpoint from which training can go on, found one without " +
                  kStateFile + "; give the run's directory, or one of its checkpoints step-...");
}

}  // namespace

std::vector<fs::path> checkpoints_to_show(const fs::path& run, const LoadedModel& loaded) {
  const std::size_t bytes = 3 * static_cast<std::size_t>(loaded.model.weights.size()) * sizeof(float);
  const std::size_t most = std::min(kMostSnapshots, kMostBytes / bytes);
  if (most == 0) {
    throw UserError(
        fmt::format("{}: the model is too large for a page: its training state has {} MB, and a page at most {} MB. "
                    "`glassformer explain {}` shows its numbers.",
                    run.string(), bytes >> 20, kMostBytes >> 20, run.string()));
  }
  if (!is_run(run)) {
    return {loaded.checkpoint};
  }
  std::vector<fs::path> all = checkpoints_in(run);
  if (all.empty()) {
    throw_no_state(loaded.checkpoint);
  }
  if (all.size() <= most) {
    return all;
  }
  std::vector<fs::path> chosen;
  for (std::size_t i = 1; i <= most; ++i) {
    chosen.push_back(all[i * all.size() / most - 1]);
  }
  spdlog::info("the page gets {} of the run's {} checkpoints, the last one included", most, all.size());
  return chosen;
}

CheckpointReader::CheckpointReader(const LiveSettings& settings, const LiveText& text)
    : session_(session_settings(settings, text), text.pairs), weights_(size()), m_(size()), v_(size()) {}

RunProgress CheckpointReader::read(const fs::path& checkpoint) {
  if (!fs::exists(checkpoint / kStateFile)) {
    throw_no_state(checkpoint);
  }
  verify_checksums(checkpoint, Verify::all);
  read_parameters(checkpoint, session_.model().weights.tensors(), weights_.data());
  return read_training_state(checkpoint, m_, v_);
}

std::vector<std::byte> CheckpointReader::snapshot(const RunProgress& progress) try {
  session_.continue_from(progress, weights_, m_, v_);
  return session_.snapshot();
} catch (const std::invalid_argument& error) {
  throw UserError(std::string("the checkpoint does not fit the training text: ") + error.what());
}

}  // namespace glassformer

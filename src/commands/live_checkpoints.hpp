#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/live/live_settings.hpp"
#include "glassformer/live/live_text.hpp"
#include "glassformer/setup/loaded_model.hpp"

/// The checkpoints of a run as snapshots of a session, for the live page.
namespace glassformer {

/// The checkpoints of a run, in order; or the one that was asked for. If there are many, eight of them, evenly chosen,
/// with the last one; fewer if the model is large. \throws UserError: the run has only means of checkpoints; the model
/// is too large for a page
std::vector<std::filesystem::path> checkpoints_to_show(const std::filesystem::path& run, const LoadedModel& loaded);

/// Reads checkpoints, one after the other, into a session.
class CheckpointReader {
 public:
  CheckpointReader(const LiveSettings& settings, const LiveText& text);

  /// \throws UserError: the checkpoint has no training state, because it is a mean; it is damaged
  RunProgress read(const std::filesystem::path& checkpoint);
  /// Of what was read last. \throws UserError: the progress does not fit the text
  std::vector<std::byte> snapshot(const RunProgress& progress);

 private:
  std::size_t size() const { return static_cast<std::size_t>(session_.model().weights.size()); }

  Session session_;
  std::vector<float> weights_, m_, v_;  // [parameters] each
};

}  // namespace glassformer

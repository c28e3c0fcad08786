#include "run/warnings.hpp"

#include <spdlog/spdlog.h>

namespace glassformer {
namespace {

void warn_about_masks(const MaskSettings& on) {
  if (!on.encoder_padding) {
    spdlog::warn(
        "masks.encoder_padding is OFF: the encoder attends to padding as if it were words. What a sentence "
        "gives depends on how far its neighbours in the batch make it be padded.");
  }
  if (!on.look_ahead) {
    spdlog::warn(
        "masks.look_ahead is OFF: the decoder sees the words it is asked for. Figures under teacher forcing "
        "will be too good, translations nonsense.");
  }
  if (!on.target_padding) {
    spdlog::warn(
        "masks.target_padding is OFF: the decoder attends to padding of the target. While the look-ahead mask "
        "is on, that changes nothing which counts: padding stands behind the words.");
  }
  if (!on.cross_padding) {
    spdlog::warn(
        "masks.cross_padding is OFF: the decoder attends to what the encoder gives for padding. What a "
        "sentence gives depends on how far its neighbours in the batch make it be padded.");
  }
}

}  // namespace

void warn_about(const Config& config) {
  if (config.model.norm == Norm::post && config.training.schedule.warmup == 0) {
    spdlog::warn(
        "model.norm is post and training.schedule.warmup is 0: the first updates of a post-norm transformer "
        "are often too large for it; a warm-up of some hundred updates makes it learn, or model.norm: pre, or "
        "a smaller model.initial_gain, which is {:g}",
        config.model.initial_gain);
  }
  warn_about_masks(config.model.masks);
}

}  // namespace glassformer

#include "run/warnings.hpp"

#include <spdlog/spdlog.h>

namespace glassformer {

void warn_about(const TransformerSettings& model, const ScheduleSettings& schedule) {
  if (model.norm == Norm::post && schedule.warmup == 0)
    spdlog::warn(
        "model.norm is post and training.schedule.warmup is 0: the first updates of a post-norm transformer "
        "are often too large for it; a warm-up of some hundred updates makes it learn, or model.norm: pre, or "
        "a smaller model.initial_gain, which is {:g}",
        model.initial_gain);
  const auto warn_if_off = [](bool is_on, const char* mask, const char* consequence) {
    if (!is_on) spdlog::warn("masks.{} is OFF: {}", mask, consequence);
  };
  warn_if_off(model.masks.encoder_padding, "encoder_padding",
              "the encoder attends to padding as if it were words. The result for a sentence depends on how far it is "
              "padded, and so on its neighbours in the batch.");
  warn_if_off(
      model.masks.look_ahead, "look_ahead",
      "the decoder sees the words it is asked for. Figures under teacher forcing will be too good, translations "
      "nonsense.");
  warn_if_off(
      model.masks.target_padding, "target_padding",
      "the decoder attends to padding of the target. While the look-ahead mask is on, this changes nothing that "
      "counts: padding follows the words.");
  warn_if_off(
      model.masks.cross_padding, "cross_padding",
      "the decoder attends to the encoder's results for padding. The result for a sentence depends on how far it "
      "is padded, and so on its neighbours in the batch.");
}

}  // namespace glassformer

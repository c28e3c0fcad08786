#pragma once

#include <string>
#include <utility>

#include "laws/draws.hpp"
#include "layers/recorder.hpp"

/// A whole pass forward and backward of a random model in double, seen through the glass.
namespace glassformer::example {

constexpr double kSmoothing = 0.1, kLossScale = 0.125;

struct RecordedRun {
  laws::DrawnModel<double> drawn;
  PaddedBatch batch;
  Recording recording;
  LossSum loss;

  /// Without `recorded`, the same pass, but nobody looks.
  RecordedRun(std::uint64_t seed, const TransformerSettings& settings, PaddedBatch given, bool recorded = true)
      : RecordedRun(RandomValues(seed), settings, std::move(given), recorded) {}

  const RecordedTensor& output(const RecordedStep& step) const { return recording.tensors()[step.output]; }

 private:
  RecordedRun(RandomValues random, const TransformerSettings& settings, PaddedBatch given, bool recorded)
      : drawn(random, settings), batch(std::move(given)) {
    const Recorder recorder = recorded ? Recorder(recording) : Recorder();
    loss = drawn.model.forward(drawn.p(), batch.input(), kSmoothing, batch.training(), drawn.cache, recorder);
    drawn.model.backward(drawn.p(), batch.input(), kSmoothing, kLossScale, drawn.cache, drawn.gradient.parameters(),
                         recorder);
  }
};

/// What is computed, as it stands on a page: "y = {x} {weight}^T + {bias}".
inline std::string equation(const Recording& recording, const RecordedStep& step) {
  return recording.tensors()[step.output].name + (step.adds ? " += " : " = ") + step.formula;
}

}  // namespace glassformer::example

#pragma once

#include <string>
#include <utility>

#include "glassformer/recording/recording.hpp"
#include "laws/draws.hpp"

/// A recorded forward and backward pass of a random model in double precision.
namespace glassformer::example {

constexpr double kLossScale = 0.125;

struct RecordedRun {
  laws::DrawnModel<double> drawn;
  PaddedBatch batch;
  Recording recording;
  LossSum loss;

  /// If `recorded` is false, runs the same pass without a recording.
  RecordedRun(std::uint64_t seed, const TransformerSettings& settings, PaddedBatch given, bool recorded = true)
      : RecordedRun(RandomValues(seed), settings, std::move(given), recorded) {}

  const RecordedTensor& output(const RecordedStep& step) const { return recording.tensors()[step.output]; }

 private:
  RecordedRun(RandomValues random, const TransformerSettings& settings, PaddedBatch given, bool recorded)
      : drawn(random, settings), batch(std::move(given)) {
    Pass pass = batch.training();
    if (recorded) {
      pass.recorder = &recording;
    }
    loss = drawn.model.forward(pass, batch.input());
    drawn.model.backward(pass, kLossScale);
  }
};

/// The last tensor that a part computed under this name; empty if there is none.
inline Matrix<double> last_recorded(const Recording& recording, const std::string& part, const std::string& name) {
  Matrix<double> values;
  for (const RecordedTensor& tensor : recording.tensors()) {
    if (tensor.computed && tensor.part == part && tensor.name == name) {
      values = tensor.values;
    }
  }
  return values;
}

/// The gradient of the memory through one decoder layer, [M, D].
template <class Scalar>
Matrix<double> d_memory_of(const Recording& recording, const DecoderLayer<Scalar>& layer) {
  return last_recorded(recording, layer.cross_attention.sublayer.kv_proj.name(), "d_x");
}

/// The equation as the page shows it: "y = {x} {weight}^T + {bias}".
inline std::string equation(const Recording& recording, const RecordedStep& step) {
  return recording.tensors()[step.output].name + (step.adds ? " += " : " = ") + step.formula;
}

}  // namespace glassformer::example

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "glassformer/layers/recorder.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// Notation in all layers: d_z is the derivative of the loss with respect to z; it has z's shape. dy/dx is the
/// derivative of y with respect to x. Backward is the chain rule: d_x = sum of d_y * dy/dx over all y that depend on x.

/// What forward and backward need besides their inputs. Dropout's random numbers depend on the seed, the update, the
/// place in the model (site), the sentence and the row in it. They do not depend on the sentence's batch or shard.
struct Pass {
  bool training = false;             ///< false: no dropout
  std::uint64_t seed = 0;            ///< of the run
  std::uint32_t update = 0;          ///< number of the training step
  std::span<const Index> sentences;  ///< [B] number of each sentence in the corpus; needed only in training
  Recorder* recorder = nullptr;      ///< null: nothing is recorded

  /// Records for `explain` that layer `name` computed `result` from `inputs`. Also keeps this call's source line.
  template <class Output, class... Inputs>
  void record(const std::string& name, std::type_identity_t<Equation<sizeof...(Inputs)>> equation, const Output& result,
              const Inputs&... inputs) const {
    if (recorder != nullptr) {
      recorder->add(name, equation.source, Recorder::Snapshot(result), {Recorder::Snapshot(inputs)...});
    }
  }
  void begin_backward() const {
    if (recorder != nullptr) {
      recorder->begin_backward();
    }
  }
};

}  // namespace glassformer

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "glassformer/live/engine.hpp"

namespace glassformer::live_test {

/// Settings of a tiny model, as lines.
inline const std::string kSettings =
    "model.d_model: 8\nmodel.heads: 2\nmodel.encoder_layers: 1\nmodel.decoder_layers: 2\nmodel.d_ff: 12\n"
    "training.max_tokens: 30\ntraining.shards: 3\ntraining.schedule.warmup: 2\ntraining.schedule.learning_rate: 0.01\n";

inline std::vector<std::string> sources() {
  return {"a b c", "b c", "c a b d", "d", "a a b", "c d d a", "b", "d c b a"};
}
inline std::vector<std::string> targets() {
  return {"z y x", "y x", "x z y w", "w", "z z y", "x w w z", "y", "w x y z"};
}

/// An engine that has made some updates.
class TrainedEngine : public Engine {
 public:
  explicit TrainedEngine(int updates, const std::string& more_settings = "") {
    create(kSettings + more_settings, sources(), targets());
    for (int i = 0; i < updates; ++i) {
      step();
    }
  }
};

}  // namespace glassformer::live_test

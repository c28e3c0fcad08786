#pragma once

#include <array>
#include <cstdint>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// The learning rate schedule.
struct ScheduleSettings {
  enum class Kind { inverse_sqrt, cosine, constant };
  static constexpr std::array kNames = {"inverse_sqrt", "cosine", "constant"};  ///< in the order of the enum
  Kind kind = Kind::inverse_sqrt;
  double learning_rate = 1e-3;  ///< the peak, reached at the end of the warm-up
  Index warmup = 400;           ///< updates of linear warm-up; 0: none
  double initial_rate = 1e-7;   ///< where warm-up starts: the rate that an update 0 would have
  double final_rate = 0;        ///< where cosine ends: the rate that the update after max_updates would have

  bool operator==(const ScheduleSettings&) const = default;
};

/// How parameters are updated; optimizer.hpp has the formulas.
struct OptimizerSettings {
  enum class Kind { adam, adamw, muon };
  static constexpr std::array kNames = {"adam", "adamw", "muon"};  ///< in the order of the enum
  Kind kind = Kind::adam;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double momentum = 0.95;   ///< muon: decay of the mean gradient of the layers' matrices
  double weight_decay = 0;  ///< adam: added to the gradient (L2); all others: decoupled
  double clip_norm = 1;     ///< larger gradients are scaled down to this global norm; 0: never

  bool operator==(const OptimizerSettings&) const = default;
};

/// How a model is trained.
struct TrainingSettings {
  std::uint64_t seed = 1;
  Index max_tokens = 2048;         ///< padded tokens of a batch's larger side
  Index accumulation = 1;          ///< batches per update; their gradients are summed
  Index shards = 8;                ///< parts of a batch that are computed in parallel
  Index micro_batch_tokens = 512;  ///< about how many padded tokens, source and target, to compute at a time
  double label_smoothing = 0.1;
  Index max_updates = 0;  ///< 0: no limit; above 0 for cosine, which ends here
  OptimizerSettings optimizer;
  ScheduleSettings schedule;

  bool operator==(const TrainingSettings&) const = default;
};

}  // namespace glassformer

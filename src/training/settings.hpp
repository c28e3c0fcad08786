#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/numerics/setting.hpp"

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

/// Lists the fields: see numerics/setting.hpp.
void for_each_setting(ScheduleSettings& schedule, const auto& visit) {
  visit("kind", choices(ScheduleSettings::kNames) + ", each after a linear warm-up", schedule.kind,
        ScheduleSettings::kNames);
  visit("learning_rate", "peak learning rate, reached at the end of the warm-up", schedule.learning_rate, kPositive);
  visit("warmup", "updates of linear warm-up to learning_rate; 0: no warm-up", schedule.warmup, 0, kMany);
  visit("initial_rate", "learning rate before update 1, where warm-up starts", schedule.initial_rate, kNotNegative);
  visit("final_rate", "cosine: learning rate at the end, at update max_updates + 1", schedule.final_rate, kNotNegative);
}

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

/// Lists the fields: see numerics/setting.hpp.
void for_each_setting(OptimizerSettings& optimizer, const auto& visit) {
  visit("kind", choices(OptimizerSettings::kNames) + "; muon: for the layers' matrices, adamw for the rest",
        optimizer.kind, OptimizerSettings::kNames);
  visit("beta1", "decay rate of the running mean of gradients, 0 <= beta1 < 1", optimizer.beta1, kRate);
  visit("beta2", "decay rate of the running mean of squared gradients, 0 <= beta2 < 1", optimizer.beta2, kRate);
  visit("epsilon", "added to the denominator, so that no update divides by 0", optimizer.epsilon, kPositive);
  visit("momentum", "muon: decay rate of the running mean of gradients, 0 <= momentum < 1", optimizer.momentum, kRate);
  visit("weight_decay", "adam: added to the gradient; all others: decoupled", optimizer.weight_decay, kNotNegative);
  visit("clip_norm", "maximum global norm of the gradient; 0: no clipping", optimizer.clip_norm, kNotNegative);
}

/// How a model is trained.
struct TrainingSettings {
  std::uint64_t seed = 1;
  Index max_tokens = 2048;         ///< padded tokens of a batch's larger side
  Index accumulation = 1;          ///< batches per update; their gradients are summed
  Index shards = 8;                ///< parts of a batch that are computed in parallel
  Index micro_batch_tokens = 512;  ///< about how many padded tokens, source and target, to compute at a time
  double label_smoothing = 0.1;
  Index max_updates = 0;  ///< 0: no limit; the cosine schedule ends here
  OptimizerSettings optimizer;
  ScheduleSettings schedule;

  bool operator==(const TrainingSettings&) const = default;
};

/// Lists the fields, except for the optimizer and the schedule, which have their own sections.
void for_each_setting(TrainingSettings& training, const auto& visit) {
  visit("seed", "random seed: initial weights, sentence order, dropout", training.seed);
  visit("max_tokens", "maximum tokens in a batch, on its larger side with padding", training.max_tokens, 1, kMany);
  visit("accumulation", "batches per update; their gradients are summed", training.accumulation, 1, kMany);
  visit("shards", "parts of a batch computed in parallel; can exceed the number of threads", training.shards, 1, 1000);
  visit("micro_batch_tokens", "roughly how many tokens of a shard to compute at a time, with padding",
        training.micro_batch_tokens, 1, kMany);
  visit("label_smoothing", "probability spread over the vocabulary, 0 <= x < 1", training.label_smoothing, kRate);
  visit("max_updates", "stop after this many updates; 0: no limit", training.max_updates, 0, kMany);
}

/// The first rule that these settings break together, if any. \pre each of them is in its range
std::optional<BrokenRule> broken_rule(const TrainingSettings& training);

}  // namespace glassformer

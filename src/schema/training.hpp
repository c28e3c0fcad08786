#pragma once

#include <optional>

#include "glassformer/schema/setting.hpp"
#include "glassformer/training/settings.hpp"

namespace glassformer {

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(ScheduleSettings& schedule, const auto& visit) {
  visit("kind", choices(ScheduleSettings::kNames) + ", each after a linear warm-up", schedule.kind,
        ScheduleSettings::kNames);
  visit("learning_rate", "peak learning rate, reached at the end of the warm-up", schedule.learning_rate, kPositive);
  visit("warmup", "updates of linear warm-up to learning_rate; 0: no warm-up", schedule.warmup, 0, kMany);
  visit("initial_rate", "learning rate before update 1, where warm-up starts", schedule.initial_rate, kNotNegative);
  visit("final_rate", "cosine: learning rate at the end, at update max_updates + 1", schedule.final_rate, kNotNegative);
}

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(OptimizerSettings& optimizer, const auto& visit) {
  visit("kind", choices(OptimizerSettings::kNames) + "; muon: for layers' matrices, else adamw", optimizer.kind,
        OptimizerSettings::kNames);
  visit("beta1", "decay rate of the running mean of gradients, 0 <= beta1 < 1", optimizer.beta1, kRate);
  visit("beta2", "decay rate of the running mean of squared gradients, 0 <= beta2 < 1", optimizer.beta2, kRate);
  visit("epsilon", "added to the denominator, so that no update divides by 0", optimizer.epsilon, kPositive);
  visit("momentum", "muon: decay rate of the running mean of gradients, 0 <= momentum < 1", optimizer.momentum, kRate);
  visit("weight_decay", "adam: added to the gradient; all others: decoupled", optimizer.weight_decay, kNotNegative);
  visit("clip_norm", "maximum global norm of the gradient; 0: no clipping", optimizer.clip_norm, kNotNegative);
}

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

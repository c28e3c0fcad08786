#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "glassformer/batching/batch.hpp"
#include "glassformer/batching/plan.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/numerics/arena.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/numerics/ranks.hpp"
#include "glassformer/training/settings.hpp"

namespace glassformer {

/// Adds elements [from, to) of the other vectors to those of the first, on all threads, always in the order of the
/// vectors. The order matters for a sum of floats: 2^24 + 1 - 2^24 + 1 is 1, and backwards it is 2.
void add_in_order(std::span<const std::span<float>> vectors, Index from, Index to);

/// The gradient of a batch, computed in shards: groups of whole sentences. Each shard runs forward and backward on one
/// thread and has its own gradient. The gradients are summed in shard order. So the result depends on the number of
/// shards, which is set in the config, but not on the number of threads or machines. If several ranks train together
/// (see Ranks), each computes a block of the shards, and all get the sum.
///
/// A thread computes its shard one micro-batch at a time, each padded only to its own longest sentence. So activations
/// need little memory and stay in the processor's caches.
class ShardedGradient {
 public:
  /// Uses three of the settings: shards (at least as many as ranks), micro_batch_tokens and label_smoothing.
  ShardedGradient(const Model<float>& model, const TrainingSettings& settings, const Ranks& ranks = alone);

  /// Which update to compute.
  struct Step {
    std::uint64_t seed = 0;    ///< for dropout
    std::uint32_t update = 0;  ///< number of the update, for dropout
  };
  /// Sums over the batch.
  struct Result {
    LossSum loss;
    TokenCount tokens;  ///< cells include the padding of the micro-batches
  };
  /// Runs all sentences of `batches` forward and backward. The gradient is that of the mean loss over their target
  /// tokens: several batches give the same result as one batch with all their sentences, up to rounding. Every rank
  /// must call this with the same batches, and all get the same result.
  Result compute(const SentencePairs& pairs, std::span<const std::vector<Index>> batches, const Step& step);

  // A rank that cannot wait for others inside compute(), such as a web worker, runs its shards before, passes the sum
  // on by messages, and then calls compute(), where its Ranks return what the messages brought.

  /// The first part of compute(), which then does not do it again: runs this rank's shards.
  void run_shards(const SentencePairs& pairs, std::span<const std::vector<Index>> batches, const Step& step);
  /// Adds the gradients of this rank's shards, in order, to the sum of the ranks before it; the first begins the sum.
  void add_shards(std::span<float> sum) const;
  /// Of all shards; run_shards() fills this rank's block.
  std::span<Result> results() { return results_; }

  /// The gradient found by compute(), in the layout of the parameters.
  std::span<const float> gradient() const { return gradients_.front(); }
  /// Sets the gradient to 0, as it was before the first compute(), and forgets what run_shards() has done.
  void clear() {
    std::ranges::fill(gradients_.front(), 0.0F);
    has_run_ = false;
  }

 private:
  /// What a thread needs to compute a shard.
  struct Worker {
    std::unique_ptr<Transformer<float>> transformer;
    SentenceGroups pieces;  // the micro-batches of the shard
    Batch batch;
    TransformerMasks masks;
  };
  static void run_micro_batch(Worker& worker, const SentencePairs& pairs, std::span<const Index> sentences,
                              const Step& step, float d_loss, Result& result);
  Result sum_results();

  const Model<float>& model_;
  Index micro_batch_tokens_;
  const Ranks& ranks_;
  Ranks::Block block_;                       // the shards of this rank, out of 0 .. shards - 1
  std::vector<Arena<float>> arenas_;         // the gradients of this rank's shards
  std::vector<std::span<float>> gradients_;  // the same, as vectors
  std::vector<Result> results_;              // of all shards
  bool has_run_ = false;                     // whether run_shards() has been called since the last compute()
  SentenceGroups parts_;                     // the sentences of all shards
  Workspaces<Worker> workers_;
};

}  // namespace glassformer

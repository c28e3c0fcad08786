#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "batching/batch.hpp"
#include "model/model.hpp"
#include "numerics/arena.hpp"
#include "numerics/parallel.hpp"
#include "numerics/ranks.hpp"
#include "training/settings.hpp"

namespace glassformer {

/// Adds the other vectors to the first, element by element, from element `from` to before `to`, on all threads. Always
/// in the order of the vectors, because a sum of floats depends on it: 2^24 + 1 - 2^24 + 1 is 1, and backwards it is 2.
void add_in_order(std::span<const std::span<float>> vectors, Index from, Index to);

/// The gradient of a batch, computed in shards: groups of whole sentences, each run forward and backward by one thread
/// and with a gradient of its own. The shards' gradients are summed in shard order. So the result depends on the number
/// of shards, which the config says, and not on the number of threads, which the machine says, nor on that of machines:
/// where several train together (Ranks), each computes a block of the shards, and all have the sum.
///
/// A thread computes its shard in micro-batches, one after the other, each padded only to its own longest sentence. So
/// activations need little memory, and stay in the processor's caches.
class ShardedGradient {
 public:
  /// Needs shards (at least as many as ranks), micro_batch_tokens and label_smoothing of the settings.
  ShardedGradient(const Model<float>& model, const TrainingSettings& settings, const Ranks& ranks = alone);

  /// How one update is computed.
  struct Step {
    std::uint64_t seed = 0;    ///< of dropout
    std::uint32_t update = 0;  ///< number of the update, for dropout
  };
  /// Where the time went. The first three are summed over all threads of all ranks, the others are this rank's.
  struct Seconds {
    double data = 0, forward = 0, backward = 0;
    double sum = 0;    // setting gradients to 0 and waiting for other ranks included
    double total = 0;  // of compute, on this rank's clock
    Seconds& operator+=(const Seconds& other);
  };
  /// Sums over the batch.
  struct Result {
    LossSum loss;
    TokenCount tokens;  ///< as padded in the micro-batches
    Seconds seconds;
  };
  /// Forward and backward of all sentences of `batches`. The gradient is that of the mean loss over their target
  /// tokens; several batches give what one batch of all their sentences would give, up to rounding. Every rank calls
  /// this with the same batches, and gets the same result.
  Result compute(const SentencePairs& pairs, std::span<const std::vector<Index>> batches, const Step& step);

  /// How many shards, each with its gradient, this rank has.
  Index own_shards() const { return block_.size(); }
  /// What compute found, in the layout of the parameters.
  std::span<const float> gradient() const;

 private:
  struct Shard {
    Arena<float> gradient;
    Result result;
  };
  /// What a thread computes a shard with.
  struct Worker {
    std::unique_ptr<Transformer<float>> transformer;
    SentenceGroups pieces;
    Batch batch;
    TransformerMasks masks;
  };
  static void run_micro_batch(Worker& worker, const SentencePairs& pairs, std::span<const Index> sentences,
                              const Step& step, float d_loss, Result& result);
  void sum_gradients();
  Result sum_results();

  const Model<float>& model_;
  Index micro_batch_tokens_;
  const Ranks& ranks_;
  Ranks::Block block_;                          // the shards of this rank, of 0 .. shards - 1
  std::vector<std::unique_ptr<Shard>> shards_;  // these
  std::vector<std::span<float>> gradients_;     // of these
  std::vector<Result> results_;                 // of all shards
  SentenceGroups parts_;                        // the sentences of all shards
  Workspaces<Worker> workers_;
};

}  // namespace glassformer

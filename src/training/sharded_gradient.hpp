#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/transformer.hpp"
#include "numerics/arena.hpp"
#include "text/batch.hpp"

namespace glassformer {

/// The gradient of a batch, computed in shards: groups of whole sentences, each padded only to its own longest, each
/// run forward and backward by one thread with caches and a gradient of its own. The shards' gradients are summed
/// in shard order. So the result depends on the number of shards, which the config says, and not on the number of
/// threads, which the machine says.
class ShardedGradient {
 public:
  using Parameters = Transformer<float>::Parameters;

  ShardedGradient(const Transformer<float>& model, Index shards);

  /// How one update is computed.
  struct Step {
    double label_smoothing = 0;
    std::uint64_t seed = 0;    ///< of dropout
    std::uint32_t update = 0;  ///< number of the update, for dropout
  };
  /// Where the time went. The first three are summed over all threads.
  struct Seconds {
    double data = 0, forward = 0, backward = 0;
    double sum = 0;
    Seconds& operator+=(const Seconds& other);
  };
  struct Result {
    LossSum loss;
    TokenCount tokens;  ///< as padded in the shards
    Seconds seconds;
  };
  /// Forward and backward of all sentences of `batches`. The gradient is that of the mean loss over their target
  /// tokens; several batches give what one batch of all their sentences would give, up to rounding.
  Result compute(const Parameters& parameters, const Corpus& corpus,
                  std::span<const std::vector<Index>> batches, const Step& step);

  /// What compute found, in the layout of the parameters.
  std::span<const float> gradient() const;

 private:
  struct Shard {
    explicit Shard(const Transformer<float>& model) : gradient(model.settings, model.vocabulary) {}
    Transformer<float>::Cache cache;
    Arena<Parameters> gradient;
    Result result;
  };
  void run_shard(Shard& shard, const Parameters& parameters, const Corpus& corpus,
                 std::span<const Index> sentences, const Step& step, float d_loss) const;
  void sum_shards();

  const Transformer<float>& model_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace glassformer

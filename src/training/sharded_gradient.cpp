#include "training/sharded_gradient.hpp"

#include <chrono>
#include <utility>

namespace glassformer {
namespace {

/// Says how long it is since it was last asked, or since it was made.
class Stopwatch {
 public:
  double lap() {
    const Clock::time_point before = std::exchange(since_, Clock::now());
    return std::chrono::duration<double>(since_ - before).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
};

}  // namespace

ShardedGradient::Seconds& ShardedGradient::Seconds::operator+=(const Seconds& other) {
  data += other.data;
  forward += other.forward;
  backward += other.backward;
  sum += other.sum;
  return *this;
}

ShardedGradient::ShardedGradient(const Transformer<float>& model, Index shards, Index micro_batch_tokens)
    : model_(model), micro_batch_tokens_(micro_batch_tokens) {
  for (Index i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>(model));
}

ShardedGradient::Result ShardedGradient::compute(const Parameters& parameters, const Corpus& corpus,
                                                 std::span<const std::vector<Index>> batches, const Step& step) {
  TokenCount count;
  for (const std::vector<Index>& batch : batches) count += count_tokens(corpus, batch);
  const float d_loss = 1 / static_cast<float>(count.target);  // the loss is divided once, here

  Result sum;
  Stopwatch watch;
  run_tasks(static_cast<Index>(shards_.size()), [&](Index i) {
    shards_[static_cast<std::size_t>(i)]->gradient.values().setZero();
    shards_[static_cast<std::size_t>(i)]->result = {};
  });
  sum.seconds.sum = watch.lap();
  for (const std::vector<Index>& batch : batches) {
    const auto parts = cut_into_parts(corpus, batch, static_cast<Index>(shards_.size()));
    run_tasks_with(caches_, static_cast<Index>(parts.size()), [&](Index i, Cache& cache) {
      const auto part = static_cast<std::size_t>(i);
      const Index pieces = 1 + count_tokens(corpus, parts[part]).cells / micro_batch_tokens_;
      for (const std::vector<Index>& sentences : cut_into_parts(corpus, parts[part], pieces)) {
        run_micro_batch(*shards_[part], parameters, corpus, sentences, step, d_loss, cache);
      }
    });
  }

  watch.lap();
  sum_shards();
  sum.seconds.sum += watch.lap();
  for (const auto& shard : shards_) {
    sum.loss += shard->result.loss;
    sum.tokens += shard->result.tokens;
    sum.seconds += shard->result.seconds;
  }
  return sum;
}

void ShardedGradient::run_micro_batch(Shard& shard, const Parameters& parameters, const Corpus& corpus,
                                      std::span<const Index> sentences, const Step& step, float d_loss,
                                      Cache& cache) const {
  Stopwatch watch;
  const Batch batch = make_batch(corpus, sentences);
  const TransformerMasks masks = model_.masks(batch.source, batch.target_input);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const Pass pass{.training = true, .seed = step.seed, .update = step.update, .sentences = batch.sentences};
  shard.result.tokens += count_tokens(corpus, sentences);
  shard.result.seconds.data += watch.lap();
  shard.result.loss += model_.forward_to_d_logits(parameters, input, step.label_smoothing, d_loss, pass, cache);
  shard.result.seconds.forward += watch.lap();
  model_.backward_from_d_logits(parameters, input, cache, shard.gradient.parameters());
  shard.result.seconds.backward += watch.lap();
}

void ShardedGradient::sum_shards() {
  run_ranges(shards_.front()->gradient.size(), [&](Index begin, Index end) {
    auto sum = shards_.front()->gradient.values().segment(begin, end - begin);
    for (std::size_t i = 1; i < shards_.size(); ++i) {  // in shard order: a sum of floats depends on it
      sum += shards_[i]->gradient.values().segment(begin, end - begin);
    }
  });
}

std::span<const float> ShardedGradient::gradient() const {
  const auto values = std::as_const(shards_.front()->gradient).values();
  return {values.data(), static_cast<std::size_t>(values.size())};
}

}  // namespace glassformer

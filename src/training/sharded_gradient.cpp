#include "glassformer/training/sharded_gradient.hpp"

#include <algorithm>
#include <utility>

namespace glassformer {

void add_in_order(std::span<const std::span<float>> vectors, Index from, Index to) {
  run_ranges(to - from, [&](Index begin, Index end) {
    const auto range = [&](std::span<float> v) { return RowView(v.data() + from + begin, end - begin).eigen(); };
    auto sum = range(vectors.front());
    for (const std::span<float> vector : vectors.subspan(1)) {
      sum += range(vector);
    }
  });
}

ShardedGradient::ShardedGradient(const Model<float>& model, const TrainingSettings& settings, const Ranks& ranks)
    : model_(model),
      micro_batch_tokens_(settings.micro_batch_tokens),
      ranks_(ranks),
      block_(ranks_.block(settings.shards)),
      results_(static_cast<std::size_t>(settings.shards)),
      workers_([&model, smoothing = settings.label_smoothing] {
        auto worker = std::make_unique<Worker>();
        worker->transformer = make_transformer(model, smoothing);
        return worker;
      }) {
  for (Index i = 0; i < block_.size(); ++i) {
    arenas_.emplace_back(model.weights.tensors());
    gradients_.emplace_back(arenas_.back().values());
  }
}

ShardedGradient::Result ShardedGradient::compute(const SentencePairs& pairs,
                                                 std::span<const std::vector<Index>> batches, const Step& step) {
  if (!has_run_) {
    run_shards(pairs, batches, step);
  }
  has_run_ = false;
  ranks_.sum_in_order(gradients_.front(), [&](Index from, Index to) { add_in_order(gradients_, from, to); });
  return sum_results();
}

void ShardedGradient::run_shards(const SentencePairs& pairs, std::span<const std::vector<Index>> batches,
                                 const Step& step) {
  TokenCount count;
  for (const std::vector<Index>& batch : batches) {
    count += count_tokens(pairs, batch);
  }
  const float d_loss = 1 / static_cast<float>(count.target);  // the loss is summed; the gradient is that of the mean

  run_tasks(block_.size(), [&](Index i) {
    std::ranges::fill(gradients_[static_cast<std::size_t>(i)], 0.0F);
    results_[static_cast<std::size_t>(block_.begin + i)] = {};
  });
  for (const std::vector<Index>& batch : batches) {
    parts_ = cut_into_parts(pairs, batch, std::ssize(results_), std::move(parts_));
    // A small batch may have fewer parts than there are shards, and this rank's block may begin after the last.
    const Index own = std::min(block_.end, parts_.size()) - block_.begin;
    run_tasks_with(workers_, std::max<Index>(0, own), [&](Index i, Worker& worker) {
      worker.transformer->bind(model_.weights, arenas_[static_cast<std::size_t>(i)]);
      Result& result = results_[static_cast<std::size_t>(block_.begin + i)];
      const std::span<const Index> part = parts_[block_.begin + i];
      const Index pieces = 1 + count_tokens(pairs, part).cells / micro_batch_tokens_;
      worker.pieces = cut_into_parts(pairs, part, pieces, std::move(worker.pieces));
      for (Index k = 0; k < worker.pieces.size(); ++k) {
        run_micro_batch(worker, pairs, worker.pieces[k], step, d_loss, result);
      }
    });
  }
  has_run_ = true;
}

void ShardedGradient::add_shards(std::span<float> sum) const {
  std::vector<std::span<float>> vectors = gradients_;
  if (ranks_.rank() == 0) {
    std::ranges::copy(vectors.front(), sum.begin());
    vectors.front() = sum;
  } else {
    vectors.insert(vectors.begin(), sum);
  }
  add_in_order(vectors, 0, std::ssize(sum));
}

void ShardedGradient::run_micro_batch(Worker& worker, const SentencePairs& pairs, std::span<const Index> sentences,
                                      const Step& step, float d_loss, Result& result) {
  auto& [transformer, pieces, batch, masks] = worker;
  batch = make_batch(pairs, sentences, std::move(batch));
  masks = transformer->masks(batch.source, batch.target_input, std::move(masks));
  const Pass pass{.training = true, .seed = step.seed, .update = step.update, .sentences = batch.sentences};
  result.tokens += count_tokens(pairs, sentences);
  result.loss += transformer->forward(pass, {batch.source, batch.target_input, batch.target_output, masks});
  transformer->backward(pass, d_loss);
}

/// In shard order, because a floating-point sum depends on the order.
ShardedGradient::Result ShardedGradient::sum_results() {
  ranks_.gather(std::span(results_));
  Result sum;
  for (const Result& result : results_) {
    sum.loss += result.loss;
    sum.tokens += result.tokens;
  }
  return sum;
}

}  // namespace glassformer

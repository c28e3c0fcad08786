#include "evaluation/forced_decoding.hpp"

#include "batching/batch.hpp"
#include "numerics/parallel.hpp"

namespace glassformer {
namespace {

/// Runs the forward pass over all pairs, on all threads, and calls use(number of the batch, the batch, its loss,
/// the transformer) for each batch.
void for_each_batch(const Model<float>& model, const SentencePairs& pairs,
                    const std::vector<std::vector<Index>>& batches, const auto& use) {
  Workspaces<Transformer<float>> transformers([&] { return make_transformer(model); });
  run_tasks_with(transformers, std::ssize(batches), [&](Index i, Transformer<float>& transformer) {
    const Batch batch = make_batch(pairs, batches[static_cast<std::size_t>(i)]);
    const TransformerMasks masks = transformer.masks(batch.source, batch.target_input);
    const LossSum loss = transformer.forward(Pass{}, {batch.source, batch.target_input, batch.target_output, masks});
    use(static_cast<std::size_t>(i), batch, loss, transformer);
  });
}

std::vector<std::vector<Index>> plan(const SentencePairs& pairs) {
  constexpr Index kTokens = 1024;  // of a batch; small, so that there is work for every thread
  return plan_in_order(pairs, kTokens);
}

}  // namespace

LossSum teacher_forced_loss(const Model<float>& model, const SentencePairs& pairs) {
  const auto batches = plan(pairs);
  std::vector<LossSum> losses(batches.size());
  for_each_batch(model, pairs, batches,
                 [&](std::size_t i, const Batch&, const LossSum& loss, const auto&) { losses[i] = loss; });
  LossSum sum;
  for (const LossSum& loss : losses) sum += loss;
  return sum;
}

std::vector<std::vector<double>> token_log_probabilities(const Model<float>& model, const SentencePairs& pairs) {
  std::vector<std::vector<double>> log_probabilities(static_cast<std::size_t>(pairs.size()));
  for_each_batch(model, pairs, plan(pairs),
                 [&](std::size_t, const Batch& batch, const LossSum&, const Transformer<float>& transformer) {
                   const Index T = batch.target_output.cols();
                   for (Index b = 0; b < batch.size(); ++b) {
                     const Index sentence = batch.sentences[static_cast<std::size_t>(b)];
                     const Index tokens = std::ssize(pairs.target(sentence)) + 1;
                     for (Index t = 0; t < tokens; ++t) {
                       const double cross_entropy = transformer.cross_entropy.cross_entropies()(b * T + t, 0);
                       log_probabilities[static_cast<std::size_t>(sentence)].push_back(0 - cross_entropy);  // not -0
                     }
                   }
                 });
  return log_probabilities;
}

}  // namespace glassformer

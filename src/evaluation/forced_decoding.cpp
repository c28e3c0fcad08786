#include "evaluation/forced_decoding.hpp"

#include <cmath>

#include "numerics/parallel.hpp"
#include "text/batch.hpp"

namespace glassformer {
namespace {

/// Of a token, in a row of the logits: see CrossEntropy.
double log_probability(const Transformer<float>::Cache& cache, Index row, Id token) {
  const float log_sum_exp = cache.cross_entropy.largest(row, 0) + std::log(cache.cross_entropy.sum_of_powers(row, 0));
  return cache.logits(row, token) - log_sum_exp;
}

}  // namespace

std::vector<std::vector<double>> token_log_probabilities(const Transformer<float>& model,
                                                         const Transformer<float>::Parameters& parameters,
                                                         const Corpus& corpus) {
  constexpr Index kTokens = 1024;  // of a batch; small, so that there is work for every thread
  const auto batches = plan_in_order(corpus, kTokens);
  std::vector<std::vector<double>> log_probabilities(static_cast<std::size_t>(corpus.size()));
  Workspaces<Transformer<float>::Cache> caches;
  run_tasks_with(
      caches, static_cast<Index>(batches.size()), [&](Index i, Transformer<float>::Cache& cache) {
        const Batch batch = make_batch(corpus, batches[static_cast<std::size_t>(i)]);
        const TransformerMasks masks =
            make_masks(batch.source, model.vocabulary.source_pad, batch.target_input, model.vocabulary.target_pad);
        model.forward(parameters, {batch.source, batch.target_input, batch.target_output, masks}, 0, {}, cache);
        const Index T = batch.target_output.cols();
        for (Index b = 0; b < batch.size(); ++b) {
          const Index sentence = batch.sentences[static_cast<std::size_t>(b)];
          const Index tokens = std::ssize(corpus.target(sentence)) + 1;
          for (Index t = 0; t < tokens; ++t) {
            log_probabilities[static_cast<std::size_t>(sentence)].push_back(
                log_probability(cache, b * T + t, batch.target_output(b, t)));
          }
        }
      });
  return log_probabilities;
}

}  // namespace glassformer

#include "training/sharded_gradient.hpp"

#include <numeric>
#include <vector>

#include "catch.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

namespace {

/// A small model with every kind of dropout, and forty random sentence pairs of 1 to 9 tokens.
struct Example {
  Transformer<float> model{{.d_model = 16, .heads = 2, .encoder_layers = 2, .decoder_layers = 1, .d_ff = 24,
                            .dropout = 0.2, .embedding_dropout = 0.1, .attention_dropout = 0.1,
                            .activation_dropout = 0.1},
                           {30, 40, 0, 0}};
  Arena<Transformer<float>::Parameters> parameters{model.settings, model.vocabulary};
  Corpus corpus;
  std::vector<Index> sentences = std::vector<Index>(40);

  Example() {
    RandomValues random(3);
    random.fill(parameters);
    parameters.values() *= 0.3F;
    for (Index i = 0; i < 40; ++i) {
      std::vector<Id> source(static_cast<std::size_t>(1 + random.index(9)));
      std::vector<Id> target(static_cast<std::size_t>(1 + random.index(9)));
      for (Id& id : source) id = static_cast<Id>(4 + random.index(26));
      for (Id& id : target) id = static_cast<Id>(4 + random.index(36));
      corpus.append(source, target, i);
    }
    std::iota(sentences.begin(), sentences.end(), Index{0});
  }

  std::vector<float> gradient(Index shards, const std::vector<std::vector<Index>>& batches, double* loss = nullptr) {
    ShardedGradient sharded(model, shards);
    const auto result = sharded.compute(parameters.parameters(), corpus, batches, {0.1, 7, 3});
    if (loss != nullptr) *loss = result.loss.loss;
    return {sharded.gradient().begin(), sharded.gradient().end()};
  }
};

}  // namespace

TEST_CASE("loss and gradient have the same bits on 1, 2 and 5 threads", "[training][threads]") {
  Example example;
  std::vector<std::vector<float>> gradients;
  std::vector<double> losses(3);
  for (const int threads : {1, 2, 5}) {
    const WithThreads with_threads(threads);
    gradients.push_back(example.gradient(8, {example.sentences}, &losses[gradients.size()]));
  }
  CHECK(losses[0] == losses[1]);
  CHECK(losses[0] == losses[2]);
  CHECK(gradients[0] == gradients[1]);
  CHECK(gradients[0] == gradients[2]);
}

TEST_CASE("computing twice gives the same: nothing of the last batch is left", "[training]") {
  Example example;
  ShardedGradient sharded(example.model, 4);
  const std::vector<std::vector<Index>> batches = {example.sentences}, other = {{5, 6, 7}};
  sharded.compute(example.parameters.parameters(), example.corpus, batches, {0.1, 7, 3});
  const std::vector<float> first(sharded.gradient().begin(), sharded.gradient().end());
  sharded.compute(example.parameters.parameters(), example.corpus, other, {0.1, 7, 3});
  sharded.compute(example.parameters.parameters(), example.corpus, batches, {0.1, 7, 3});
  CHECK(first == std::vector<float>(sharded.gradient().begin(), sharded.gradient().end()));
}

TEST_CASE("another update draws other dropout", "[training]") {
  Example example;
  ShardedGradient sharded(example.model, 2);
  const std::vector<std::vector<Index>> batches = {example.sentences};
  const double third = sharded.compute(example.parameters.parameters(), example.corpus, batches, {0, 7, 3}).loss.loss;
  const double fourth = sharded.compute(example.parameters.parameters(), example.corpus, batches, {0, 7, 4}).loss.loss;
  CHECK(third != fourth);
}

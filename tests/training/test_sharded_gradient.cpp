#include <numeric>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "glassformer/text/corpus.hpp"
#include "glassformer/training/sharded_gradient.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

namespace {

TrainingSettings in_shards(Index shards, Index micro_batch_tokens) {
  TrainingSettings settings;
  settings.shards = shards;
  settings.micro_batch_tokens = micro_batch_tokens;
  return settings;
}

/// A small model with every kind of dropout, and forty random sentence pairs of 1 to 9 tokens.
struct ShardedExample {
  Model<float> model{{.d_model = 16,
                      .heads = 2,
                      .encoder_layers = 2,
                      .decoder_layers = 1,
                      .d_ff = 24,
                      .dropout = 0.2,
                      .embedding_dropout = 0.1,
                      .attention_dropout = 0.1,
                      .activation_dropout = 0.1},
                     {30, 40, {}}};
  Corpus corpus;
  std::vector<Index> sentences = std::vector<Index>(40);

  ShardedExample() {
    RandomValues random(3);
    random.fill(model.weights);
    scale(model.weights.values(), 0.3F);
    for (Index i = 0; i < 40; ++i) {
      std::vector<Id> source(static_cast<std::size_t>(1 + random.index(9)));
      std::vector<Id> target(static_cast<std::size_t>(1 + random.index(9)));
      for (Id& id : source) {
        id = static_cast<Id>(4 + random.index(26));
      }
      for (Id& id : target) {
        id = static_cast<Id>(4 + random.index(36));
      }
      corpus.append(source, target, i);
    }
    std::iota(sentences.begin(), sentences.end(), Index{0});
  }

  std::vector<float> gradient(Index shards, const std::vector<std::vector<Index>>& batches, double* loss = nullptr,
                              Index micro_batch_tokens = 20) {
    ShardedGradient sharded(model, in_shards(shards, micro_batch_tokens));
    const auto result = sharded.compute(corpus, batches, {.seed = 7, .update = 3});
    if (loss != nullptr) {
      *loss = result.loss.loss;
    }
    return {sharded.gradient().begin(), sharded.gradient().end()};
  }
};

}  // namespace

TEST_CASE("vectors are added in order, whatever the number of threads", "[training][threads]") {
  constexpr float kLarge = 16'777'216;  // 2^24: adding 1 to it has no effect
  for (const int threads : {1, 3}) {
    const WithThreads with_threads(threads);
    std::vector<std::vector<float>> shards;
    for (const float value : {kLarge, 1.0F, -kLarge, 1.0F}) {
      shards.emplace_back(1000, value);
    }
    std::vector<std::span<float>> vectors(shards.begin(), shards.end());
    add_in_order(vectors, 10, 990);
    CHECK(shards[0][9] == kLarge);
    CHECK(shards[0][990] == kLarge);
    for (std::size_t i = 10; i < 990; ++i) {
      REQUIRE(shards[0][i] == 1);  // in reverse order it would be 2
    }
    CHECK(shards[1] == std::vector<float>(1000, 1));
  }
}

TEST_CASE("loss and gradient have the same bits on 1, 2 and 5 threads", "[training][threads]") {
  ShardedExample example;
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

TEST_CASE("the gradient is that of the mean loss over the target tokens", "[training]") {
  ShardedExample example;
  example.model.settings.masks.look_ahead = GENERATE(true, false);
  const std::vector<float> sharded = example.gradient(3, {example.sentences});

  const Batch batch = make_batch(example.corpus, example.sentences);  // in one piece, divided afterwards
  const auto transformer = make_transformer(example.model, TrainingSettings().label_smoothing);
  Arena<float> sum(example.model.weights.tensors());
  transformer->bind(example.model.weights, sum);
  const TransformerMasks masks = transformer->masks(batch.source, batch.target_input);
  const Pass pass{.training = true, .seed = 7, .update = 3, .sentences = batch.sentences};
  const LossSum loss = transformer->forward(pass, {batch.source, batch.target_input, batch.target_output, masks});
  transformer->backward(pass, 1);
  const RowView<const float> mean(sharded.data(), std::ssize(sharded));
  const RowVector<float> expected = sum.values().eigen() / static_cast<float>(loss.tokens);
  CHECK((mean.eigen() - expected).norm() < 1e-5F * expected.norm());
}

TEST_CASE("micro-batches change loss and gradient only by rounding", "[training]") {
  ShardedExample example;
  double loss = 0;
  double loss_in_pieces = 0;
  const std::vector<float> whole = example.gradient(3, {example.sentences}, &loss, 100'000);
  const std::vector<float> pieces = example.gradient(3, {example.sentences}, &loss_in_pieces, 30);
  CHECK(whole != pieces);
  const Eigen::Map<const Eigen::VectorXf> a(whole.data(), std::ssize(whole));
  const Eigen::Map<const Eigen::VectorXf> b(pieces.data(), std::ssize(pieces));
  CHECK((a - b).norm() < 1e-6F * a.norm());
  CHECK(loss_in_pieces == Approx(loss).epsilon(1e-6));
}

TEST_CASE("computing a batch again gives the same gradient: nothing is left over from other batches", "[training]") {
  ShardedExample example;
  ShardedGradient sharded(example.model, in_shards(4, 50));
  const std::vector<std::vector<Index>> batches = {example.sentences};
  const std::vector<std::vector<Index>> other = {{5, 6, 7}};
  sharded.compute(example.corpus, batches, {7, 3});
  const std::vector<float> first(sharded.gradient().begin(), sharded.gradient().end());
  sharded.compute(example.corpus, other, {7, 3});
  sharded.compute(example.corpus, batches, {7, 3});
  CHECK(first == std::vector<float>(sharded.gradient().begin(), sharded.gradient().end()));
}

TEST_CASE("another update draws different dropout", "[training]") {
  ShardedExample example;
  ShardedGradient sharded(example.model, in_shards(2, 50));
  const std::vector<std::vector<Index>> batches = {example.sentences};
  const double third = sharded.compute(example.corpus, batches, {7, 3}).loss.loss;
  const double fourth = sharded.compute(example.corpus, batches, {7, 4}).loss.loss;
  CHECK(third != fourth);
}

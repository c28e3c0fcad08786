#include <numeric>

#include "decoding/tiny_model.hpp"
#include "laws/draws.hpp"
#include "threads.hpp"
#include "training/sharded_gradient.hpp"

/// A sentence gets the same result alone as inside any padded batch; a batch gives the same gradient in one piece as in
/// many, on one thread as on many.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// A model with dropout, and 5 to 40 sentence pairs for it, cut into 1 to 5 batches.
struct DrawnTraining {
  static constexpr Index kVocabulary = 30;

  Transformer<float> model;
  Arena<Transformer<float>::Parameters> parameters;
  Corpus corpus;
  std::vector<Index> all;
  std::vector<std::vector<Index>> parts;

  explicit DrawnTraining(RandomValues& random)
      : model{draw_dropout(random, draw_settings(random)), {kVocabulary, kVocabulary, 0, 0}},
        parameters(model.settings, model.vocabulary),
        all(static_cast<std::size_t>(between(random, 5, 40))),
        parts(static_cast<std::size_t>(between(random, 1, 5))) {
    random.fill(parameters);
    parameters.values() *= 0.3F;
    std::iota(all.begin(), all.end(), Index{0});
    for (const Index i : all) {
      std::vector<Id> source(static_cast<std::size_t>(between(random, 1, 9)));
      std::vector<Id> target(static_cast<std::size_t>(between(random, 1, 9)));
      for (Id& id : source) id = static_cast<Id>(4 + random.index(kVocabulary - 4));
      for (Id& id : target) id = static_cast<Id>(4 + random.index(kVocabulary - 4));
      corpus.append(source, target, i);
      parts[static_cast<std::size_t>(random.index(static_cast<Index>(parts.size())))].push_back(i);
    }
    std::erase_if(parts, [](const auto& part) { return part.empty(); });
  }

  Eigen::ArrayXf gradient(Index shards, const std::vector<std::vector<Index>>& batches) const {
    ShardedGradient sharded(model, shards);
    sharded.compute(parameters.parameters(), corpus, batches, {.label_smoothing = 0.1, .seed = 7, .update = 3});
    return Eigen::Map<const Eigen::ArrayXf>(sharded.gradient().data(), static_cast<Index>(sharded.gradient().size()));
  }
};

/// The length of the difference, as a part of the length of the whole.
double distance(const auto& a, const auto& b) {
  return (a.template cast<double>() - b.template cast<double>()).matrix().norm() /
         a.template cast<double>().matrix().norm();
}

}  // namespace

TEST_CASE("Law: a sentence alone gets the logits that it gets inside any padded batch", "[laws]") {
  hold(21, [](RandomValues& random) {
    const example::PaddedBatch batch = draw_batch(random);
    const Index T = batch.target_input.cols();
    DrawnModel<float> together(random, draw_dropout(random, draw_settings(random)));
    DrawnModel<float> alone(random, together.model.settings);
    alone.parameters.values() = together.parameters.values();
    for (const bool training : {false, true}) {  // without dropout and with it
      together.forward(batch, training ? batch.training() : Pass{});
      for (Index b = 0; b < batch.source.rows(); ++b) {
        const example::PaddedBatch sentence = example::alone(batch, b);
        alone.forward(sentence, training ? sentence.training() : Pass{});
        CHECK(largest_difference(together.cache.logits.middleRows(b * T, sentence.target_input.cols()),
                                 alone.cache.logits) < 1e-5);
      }
    }
  });
}

TEST_CASE("Law: loss and gradient of a padded batch are the sums of its sentences'", "[laws]") {
  hold(22, [](RandomValues& random) {
    const example::PaddedBatch batch = draw_batch(random);
    DrawnModel<double> drawn(random, draw_dropout(random, draw_settings(random)));
    LossSum loss;
    Eigen::ArrayXd gradient = Eigen::ArrayXd::Zero(drawn.gradient.size());
    for (Index b = 0; b < batch.source.rows(); ++b) {
      drawn.forward_backward(example::alone(batch, b));
      loss += drawn.loss;
      gradient += drawn.gradient.values();
    }
    drawn.forward_backward(batch);
    CHECK(drawn.loss.loss == Approx(loss.loss).epsilon(1e-12));
    CHECK(drawn.loss.cross_entropy == Approx(loss.cross_entropy).epsilon(1e-12));
    CHECK(drawn.loss.tokens == loss.tokens);
    CHECK(drawn.loss.correct == loss.correct);
    CHECK(distance(gradient, drawn.gradient.values()) < 1e-12);
  });
}

TEST_CASE("Law: greedy and beam search find the same tokens for a sentence alone as in any batch", "[laws][batches]") {
  constexpr Index kVocabulary = 20;
  constexpr SearchIds kIds{kPad, kBos, kEos, kPad};
  hold(23, [&](RandomValues& random) {
    TinyModel<float> tiny(draw_settings(random), kVocabulary, static_cast<std::uint64_t>(random.index(1000)));
    tiny.p().output.bias[kEos] += 2;
    const auto sources = random_sources(static_cast<std::size_t>(between(random, 2, 12)), 0, 9, kVocabulary,
                                        static_cast<std::uint64_t>(random.index(1000)));
    DecodingSettings settings;
    settings.beam = between(random, 1, 4);
    settings.max_length_ratio = 1;
    settings.batch = between(random, 2, 12);
    const auto together = translate(tiny.model, tiny.p(), settings, kIds, sources);
    settings.batch = 1;
    for (std::size_t b = 0; b < sources.size(); ++b) {
      const auto alone = translate(tiny.model, tiny.p(), settings, kIds, {&sources[b], 1}).front();
      REQUIRE(alone.size() == together[b].size());
      for (std::size_t i = 0; i < alone.size(); ++i) CHECK(alone[i].ids == together[b][i].ids);
    }
  });
}

TEST_CASE("Law: k batches of unequal size give the gradient of one batch of them all", "[laws]") {
  hold(24, [](RandomValues& random) {
    const DrawnTraining training(random);
    const Index shards = between(random, 1, 8);
    CHECK(distance(training.gradient(shards, {training.all}), training.gradient(shards, training.parts)) < 1e-6);
  });
}

TEST_CASE("Law: 1, 3 and 8 shards give the same gradient", "[laws]") {
  hold(25, [](RandomValues& random) {
    const DrawnTraining training(random);
    const Eigen::ArrayXf one = training.gradient(1, {training.all});
    CHECK(distance(one, training.gradient(3, {training.all})) < 1e-6);
    CHECK(distance(one, training.gradient(8, {training.all})) < 1e-6);
  });
}

TEST_CASE("Law: 1, 2 and 5 threads give the same gradient to the bit", "[laws]") {
  hold(26, [](RandomValues& random) {
    const DrawnTraining training(random);
    const auto on_threads = [&](int threads) {
      const WithThreads with_threads(threads);
      return training.gradient(8, training.parts);
    };
    const Eigen::ArrayXf one = on_threads(1);
    CHECK(same_bits(one, on_threads(2)));
    CHECK(same_bits(one, on_threads(5)));
  });
}

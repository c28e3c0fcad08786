#include <algorithm>
#include <numeric>
#include <vector>

#include "decoding/tiny_model.hpp"
#include "glassformer/text/corpus.hpp"
#include "glassformer/training/sharded_gradient.hpp"
#include "laws/draws.hpp"
#include "threads.hpp"

/// A sentence gets the same result alone as in any padded batch. A batch gives the same gradient in one piece or many,
/// on one thread or many.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// A model with dropout, and 5 to 20 sentence pairs for it, cut into 2 to 5 batches.
struct DrawnTraining {
  static constexpr Index kVocabulary = 30;

  Model<float> model;
  Corpus corpus;
  std::vector<Index> all;
  std::vector<std::vector<Index>> parts;

  explicit DrawnTraining(RandomValues& random)
      : model(draw_dropout(random, draw_settings(random)), {kVocabulary, kVocabulary, {}}),
        all(static_cast<std::size_t>(between(random, 5, 20))),
        parts(static_cast<std::size_t>(between(random, 2, 5))) {
    random.fill(model.weights);
    scale(model.weights.values(), 0.3F);
    std::iota(all.begin(), all.end(), Index{0});
    for (const Index i : all) {
      std::vector<Id> source(static_cast<std::size_t>(between(random, 1, 9)));
      std::vector<Id> target(static_cast<std::size_t>(between(random, 1, 9)));
      for (Id& id : source) {
        id = static_cast<Id>(4 + random.index(kVocabulary - 4));
      }
      for (Id& id : target) {
        id = static_cast<Id>(4 + random.index(kVocabulary - 4));
      }
      corpus.append(source, target, i);
      const Index part = i < static_cast<Index>(parts.size()) ? i : random.index(static_cast<Index>(parts.size()));
      parts[static_cast<std::size_t>(part)].push_back(i);  // each part has at least one
    }
  }

  struct Found {
    Eigen::ArrayXf gradient;
    LossSum loss;
  };
  Found compute(Index shards, const std::vector<std::vector<Index>>& batches, Index micro_batch_tokens = 30) const {
    TrainingSettings settings;
    settings.shards = shards;
    settings.micro_batch_tokens = micro_batch_tokens;
    ShardedGradient sharded(model, settings);
    const LossSum loss = sharded.compute(corpus, batches, {.seed = 7, .update = 3}).loss;
    return {Eigen::Map<const Eigen::ArrayXf>(sharded.gradient().data(), model.weights.size()), loss};
  }

  /// Checks that both are the same up to rounding. The whole gradient may differ by 1e-6 of its norm. Each tensor may
  /// differ by 1e-5 of its own norm or of a hundredth of the whole norm, whichever is larger. (A smaller gradient is
  /// mostly rounding.)
  void check_same(const Found& a, const Found& b) const {
    CHECK(a.loss.loss == Approx(b.loss.loss).epsilon(1e-6));
    CHECK(a.loss.tokens == b.loss.tokens);
    const float whole = a.gradient.matrix().norm();
    CHECK((a.gradient - b.gradient).matrix().norm() < 1e-6F * whole);
    for (const TensorPlace& tensor : model.weights.tensors()) {
      CAPTURE(tensor.name);
      const auto x = a.gradient.segment(tensor.offset, tensor.size);
      const auto y = b.gradient.segment(tensor.offset, tensor.size);
      CHECK((x - y).matrix().norm() < 1e-5F * std::max(x.matrix().norm(), 0.01F * whole));
    }
  }
};

}  // namespace

TEST_CASE("Law: a sentence gets the same logits alone as in any padded batch", "[laws]") {
  hold(21, [](RandomValues& random) {
    const example::PaddedBatch batch = draw_batch(random);
    const Index T = batch.target_input.cols();
    DrawnModel<float> together(random, draw_dropout(random, draw_settings(random)));
    DrawnModel<float> unbatched(random, together.model.settings);
    copy_weights(together, unbatched);
    for (const bool training : {false, true}) {  // without dropout and with it
      together.forward(batch, training ? batch.training() : Pass{});
      for (Index b = 0; b < batch.source.rows(); ++b) {
        const example::PaddedBatch sentence = example::alone(batch, b);
        unbatched.forward(sentence, training ? sentence.training() : Pass{});
        CHECK(largest_difference(together.logits.middleRows(b * T, sentence.target_input.cols()), unbatched.logits) <
              1e-5);
      }
    }
  });
}

TEST_CASE("Law: loss and gradient of a padded batch are the sums over its sentences", "[laws]") {
  hold(22, [](RandomValues& random) {
    const example::PaddedBatch batch = draw_batch(random);
    DrawnModel<double> drawn(random, draw_dropout(random, draw_settings(random)));
    LossSum loss;
    RowVector<double> gradient = RowVector<double>::Zero(drawn.gradient.size());
    for (Index b = 0; b < batch.source.rows(); ++b) {
      drawn.forward_backward(example::alone(batch, b));
      loss += drawn.loss;
      gradient += drawn.gradient.values().eigen();
    }
    drawn.forward_backward(batch);
    CHECK(drawn.loss.loss == Approx(loss.loss).epsilon(1e-12));
    CHECK(drawn.loss.cross_entropy == Approx(loss.cross_entropy).epsilon(1e-12));
    CHECK(drawn.loss.tokens == loss.tokens);
    CHECK(drawn.loss.correct == loss.correct);
    CHECK(largest_difference(gradient, drawn.gradient.values()) < 1e-11);
  });
}

TEST_CASE("Law: greedy and beam search find the same tokens for a sentence alone and in any batch", "[laws][batches]") {
  constexpr Index kVocabulary = 20;
  hold(23, [&](RandomValues& random) {
    TinyModel<float> tiny(draw_settings(random), kVocabulary, static_cast<std::uint64_t>(random.index(1000)));
    tiny.output_bias()[kEos] += 2;
    const auto sources = random_sources(static_cast<std::size_t>(between(random, 2, 8)), 0, 9, kVocabulary,
                                        static_cast<std::uint64_t>(random.index(1000)));
    for (const Index beam : {Index{1}, between(random, 2, 4)}) {
      DecodingSettings settings;
      settings.beam = settings.n_best = beam;
      settings.max_length_ratio = 1;
      settings.batch = between(random, 2, 12);
      const auto together = translate(tiny.model, settings, kTinyIds, sources);
      for (std::size_t b = 0; b < sources.size(); ++b) {
        const auto unbatched = translate(tiny.model, settings, kTinyIds, {&sources[b], 1}).front();
        REQUIRE(unbatched.size() == together[b].size());
        for (std::size_t i = 0; i < unbatched.size(); ++i) {
          CHECK(unbatched[i].ids == together[b][i].ids);
        }
      }
    }
  });
}

TEST_CASE("Law: k batches of unequal size give the same gradient as one batch with all their sentences", "[laws]") {
  hold(24, [](RandomValues& random) {
    const DrawnTraining training(random);
    const Index shards = between(random, 1, 8);
    training.check_same(training.compute(shards, {training.all}), training.compute(shards, training.parts));
  });
}

TEST_CASE("Law: 1, 3 and 8 shards give the same gradient", "[laws]") {
  hold(25, [](RandomValues& random) {
    const DrawnTraining training(random);
    const auto one = training.compute(1, {training.all});
    training.check_same(one, training.compute(3, {training.all}));
    training.check_same(one, training.compute(8, {training.all}));
  });
}

TEST_CASE("Law: 1, 2 and 5 threads give the same gradient, bit for bit", "[laws]") {
  hold(26, [](RandomValues& random) {
    const DrawnTraining training(random);
    const auto on_threads = [&](int threads) {
      const WithThreads with_threads(threads);
      return training.compute(8, training.parts);
    };
    const auto one = on_threads(1);
    for (const int threads : {2, 5}) {
      const auto many = on_threads(threads);
      CHECK(same_bits(many.gradient, one.gradient));
      CHECK(many.loss.loss == one.loss.loss);
    }
  });
}

TEST_CASE("Law: a smaller n_best returns the first hypotheses of a larger one", "[laws][batches]") {
  constexpr Index kVocabulary = 20;
  hold(31, [&](RandomValues& random) {
    TinyModel<float> tiny(draw_settings(random), kVocabulary, static_cast<std::uint64_t>(random.index(1000)));
    tiny.output_bias()[kEos] += 2;
    const auto sources = random_sources(5, 0, 9, kVocabulary, static_cast<std::uint64_t>(random.index(1000)));
    DecodingSettings settings;
    settings.beam = settings.n_best = between(random, 2, 5);
    settings.early_stopping = random.index(2) == 1;
    settings.length_penalty = random.number(0, 2);
    const auto all = translate(tiny.model, settings, kTinyIds, sources);
    settings.n_best = between(random, 1, settings.beam - 1);
    const auto some = translate(tiny.model, settings, kTinyIds, sources);
    for (std::size_t b = 0; b < sources.size(); ++b) {
      REQUIRE(some[b].size() == std::min(all[b].size(), static_cast<std::size_t>(settings.n_best)));
      for (std::size_t i = 0; i < some[b].size(); ++i) {
        CHECK(some[b][i].ids == all[b][i].ids);
      }
    }
  });
}

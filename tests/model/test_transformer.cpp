#include <memory>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "model/example.hpp"
#include "numerics/parallel.hpp"
#include "threads.hpp"

using namespace glassformer;

namespace {

/// A random model with the cache of one forward and backward pass.
template <class Scalar>
struct Run {
  Transformer<Scalar> model;
  example::LearnedModel<Scalar> learned;
  typename Transformer<Scalar>::Cache cache;
  LossSum loss;

  Run(const TransformerSettings& settings, std::uint64_t seed = 1)
      : model{settings, example::vocabulary(settings.tied_embeddings)},
        learned(*std::make_unique<RandomValues>(seed), model.settings, model.vocabulary) {}

  void forward(const example::PaddedBatch& batch, const Pass& pass) {
    loss = model.forward(learned.p(), batch.input(), 0.1, pass, cache);
  }
  /// Adds to the gradient.
  void forward_backward(const example::PaddedBatch& batch) {
    forward(batch, batch.training());
    model.backward(learned.p(), batch.input(), 0.1, Scalar(1) / 10, cache, learned.grad());
  }
};

/// Wide enough for its products to go through the door's fast side.
TransformerSettings wide(TransformerSettings settings) {
  settings.d_model = 64;
  settings.heads = 4;
  settings.d_ff = 96;
  return settings;
}

}  // namespace

TEST_CASE("The probabilities have a row for every place of the target and a column for every word", "[model]") {
  Run<double> run(example::settings(Norm::post, Tying::target));
  const example::PaddedBatch batch = example::batch();
  run.forward(batch, {});
  CHECK(run.cache.logits.rows() == 12);
  CHECK(run.cache.logits.cols() == 7);
  CHECK(run.loss.tokens == 9);
  CHECK(run.loss.tokens == batch.tokens());
}

TEMPLATE_TEST_CASE("No word of the target changes a bit of the probabilities before it", "[model]", float, double) {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    Run<TestType> run(wide(example::settings(norm, Tying::none)));
    RandomValues random(5);
    const Index B = 3, T = 12;
    const example::PaddedBatch batch = example::random_batch(random, B, T);
    run.forward(batch, {});
    const Matrix<TestType> p = run.cache.logits;

    for (const Index from : {1, 5, 11}) {  // words from here on become others, some of them padding
      example::PaddedBatch changed = batch;
      for (Index t = from; t < T; ++t) {
        for (Index b = 0; b < B; ++b) {
          changed.target_input(b, t) = static_cast<Id>((batch.target_input(b, t) + 1 + b) % 7);
        }
      }
      changed.masks = make_masks(changed.source, example::kSourcePad, changed.target_input, example::kTargetPad);
      run.forward(changed, {});
      for (Index b = 0; b < B; ++b) {
        CAPTURE(norm == Norm::post, from, b);
        CHECK(same_bits(run.cache.logits.middleRows(b * T, from), p.middleRows(b * T, from)));
        CHECK_FALSE(same_bits(run.cache.logits.row(b * T + from), p.row(b * T + from)));
      }
    }
  }
}

TEST_CASE("Every place of the target sees the whole source", "[model]") {
  Run<double> run(example::settings(Norm::post, Tying::target));
  example::PaddedBatch batch = example::batch();
  run.forward(batch, {});
  const Matrix<double> p = run.cache.logits;
  batch.source(0, 4) = 7;  // the last word of the first sentence
  run.forward(batch, {});
  for (Index t = 0; t < 4; ++t) CHECK(largest_difference(run.cache.logits.row(t), p.row(t)) > 1e-6);
  CHECK(same_bits(run.cache.logits.bottomRows(8), p.bottomRows(8)));  // the other sentences are not concerned
}

TEST_CASE("Every one of the four dropout rates drops something", "[model]") {
  const example::PaddedBatch batch = example::batch();
  const TransformerSettings plain = example::settings(Norm::post, Tying::target);
  Run<double> without(plain);
  without.forward(batch, batch.training());
  for (double TransformerSettings::* const rate :
       {&TransformerSettings::dropout, &TransformerSettings::embedding_dropout, &TransformerSettings::attention_dropout,
        &TransformerSettings::activation_dropout}) {
    TransformerSettings settings = plain;
    settings.*rate = 0.3;
    Run<double> run(settings);
    run.forward(batch, batch.training());
    CHECK(largest_difference(run.cache.logits, without.cache.logits) > 1e-3);
  }
}

TEMPLATE_TEST_CASE("A cache that served another batch gives the bits of a fresh one", "[model]", float, double) {
  RandomValues random(6);
  const example::PaddedBatch batch = example::batch(), larger = example::random_batch(random, 5, 9);
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const TransformerSettings settings = example::with_dropout(example::settings(norm, Tying::all));
    Run<TestType> used(settings), fresh(settings);
    used.forward_backward(larger);
    used.learned.gradient.values().setZero();
    used.forward_backward(batch);
    fresh.forward_backward(batch);
    CHECK(same_bits(used.cache.logits, fresh.cache.logits));
    CHECK(same_bits(used.learned.gradient.values(), fresh.learned.gradient.values()));
  }
}

TEST_CASE("In float, through the fast door, loss and gradient are those of double up to rounding", "[model]") {
  RandomValues random(7);
  const example::PaddedBatch batch = example::random_batch(random, 4, 11);
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const TransformerSettings settings = wide(example::with_dropout(example::settings(norm, Tying::target)));
    Run<double> exact(settings);
    Run<float> rounded(settings);
    // Smaller numbers than -1 .. 1: at this width softmax would be as good as a maximum, and rounding would show.
    exact.learned.parameters.values() /= 8;
    rounded.learned.parameters.values() = exact.learned.parameters.values().template cast<float>();
    exact.learned.parameters.values() = rounded.learned.parameters.values().template cast<double>();
    exact.forward_backward(batch);
    rounded.forward_backward(batch);
    CHECK(rounded.loss.loss == Approx(exact.loss.loss).epsilon(1e-5));
    CHECK(rounded.loss.correct == exact.loss.correct);
    for (const TensorPlace& tensor : exact.learned.gradient.tensors()) {
      if (tensor.name.ends_with("k_proj.bias")) continue;  // exactly 0, but for rounding
      CAPTURE(tensor.name);
      const auto gradient = exact.learned.gradient.values(tensor);
      const double difference = largest_difference(gradient, rounded.learned.gradient.values(tensor));
      CHECK(difference < 1e-4 * gradient.abs().maxCoeff());
    }
  }
}

TEMPLATE_TEST_CASE("Models at work side by side give the bits that each gives alone", "[model][threads]", float,
                   double) {
  const TransformerSettings settings = wide(example::with_dropout(example::settings(Norm::post, Tying::target)));
  RandomValues random(8);
  std::vector<example::PaddedBatch> batches;
  for (Index i = 0; i < 6; ++i) batches.push_back(example::random_batch(random, 2, 5 + 2 * i));

  const auto gradients_with = [&](int threads) {
    const WithThreads with(threads);
    std::vector<std::unique_ptr<Run<TestType>>> runs;
    for (Index i = 0; i < 6; ++i) runs.push_back(std::make_unique<Run<TestType>>(settings));
    run_tasks(6, [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      runs[k]->forward_backward(batches[k]);
    });
    std::vector<Matrix<TestType>> gradients;
    for (const auto& run : runs) gradients.emplace_back(run->learned.gradient.values().matrix());
    return gradients;
  };
  const auto expected = gradients_with(1);
  for (const int threads : {2, 5}) {
    const auto gradients = gradients_with(threads);
    for (std::size_t i = 0; i < 6; ++i) CHECK(same_bits(gradients[i], expected[i]));
  }
}

TEST_CASE("Every tensor has a name of its own, and tied matrices are stored once under Marian's names", "[model]") {
  const auto names = [](Norm norm, Tying tying) {
    const Run<float> run(example::settings(norm, tying));
    std::set<std::string> set;
    for (const TensorPlace& tensor : run.learned.parameters.tensors()) set.insert(tensor.name);
    CHECK(set.size() == run.learned.parameters.tensors().size());
    return set;
  };
  const std::string source = "model.encoder.embed_tokens.weight", target = "model.decoder.embed_tokens.weight";
  const std::string output = "lm_head.weight", shared = "model.shared.weight";

  const auto none = names(Norm::post, Tying::none), one = names(Norm::post, Tying::target);
  const auto all = names(Norm::pre, Tying::all);
  CHECK((none.contains(source) && none.contains(target) && none.contains(output) && !none.contains(shared)));
  CHECK((one.contains(source) && one.contains(target) && !one.contains(output) && !one.contains(shared)));
  CHECK((!all.contains(source) && !all.contains(target) && !all.contains(output) && all.contains(shared)));
  for (const auto& set : {none, one, all}) CHECK(set.contains("final_logits_bias"));

  // 16 tensors to an encoder layer, 26 to a decoder layer.
  CHECK(none.size() == 4 + 2 * 16 + 2 * 26);
  CHECK(all.size() == 2 + 2 * 16 + 2 * 26 + 4);
  CHECK(all.contains("model.encoder.layer_norm.weight"));
  CHECK(all.contains("model.decoder.layer_norm.bias"));
  CHECK_FALSE(none.contains("model.encoder.layer_norm.weight"));
  for (const char* name :
       {"model.encoder.layers.0.self_attn.q_proj.weight", "model.encoder.layers.1.self_attn_layer_norm.bias",
        "model.encoder.layers.1.fc1.weight", "model.encoder.layers.0.fc2.bias",
        "model.encoder.layers.0.final_layer_norm.weight", "model.decoder.layers.0.self_attn.out_proj.bias",
        "model.decoder.layers.1.encoder_attn.k_proj.weight", "model.decoder.layers.0.encoder_attn_layer_norm.weight",
        "model.decoder.layers.1.final_layer_norm.bias"}) {
    CAPTURE(name);
    CHECK(none.contains(name));
  }
}

TEST_CASE("Tied embeddings are one matrix, seen from two or three sides", "[model]") {
  Run<float> all(example::settings(Norm::post, Tying::all)), one(example::settings(Norm::post, Tying::target));
  Run<float> none(example::settings(Norm::post, Tying::none));
  CHECK(all.learned.p().source_embedding.data() == all.learned.p().target_embedding.data());
  CHECK(all.learned.p().target_embedding.data() == all.learned.p().output.weight.data());
  CHECK(one.learned.p().source_embedding.data() != one.learned.p().target_embedding.data());
  CHECK(one.learned.p().target_embedding.data() == one.learned.p().output.weight.data());
  CHECK(none.learned.p().target_embedding.data() != none.learned.p().output.weight.data());
}

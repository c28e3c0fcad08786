#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "model/example.hpp"
#include "threads.hpp"

using namespace glassformer;
using example::RandomModel;

namespace {

/// Wide enough for matrix products to use their fast kernels.
TransformerSettings wide(TransformerSettings settings) {
  settings.d_model = 64;
  settings.heads = 4;
  settings.d_ff = 96;
  return settings;
}

}  // namespace

TEST_CASE("The probabilities have a row for each target token and a column for each vocabulary entry", "[model]") {
  RandomModel<double> random(example::settings(Norm::post, Tying::target));
  const example::PaddedBatch batch = example::batch();
  const Buffer<double>& p = random.forward(batch);
  CHECK(p.rows() == 12);
  CHECK(p.cols() == 7);
  CHECK(random.loss.tokens == 9);
  CHECK(random.loss.tokens == batch.tokens());
}

TEMPLATE_TEST_CASE("No target token changes a bit of the probabilities before it", "[model]", float, double) {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    RandomModel<TestType> model(wide(example::settings(norm, Tying::none)));
    RandomValues random(5);
    const Index B = 3;
    const Index T = 12;
    const example::PaddedBatch batch = example::random_batch(random, B, T);
    const Buffer<TestType> p = model.forward(batch);

    for (const Index from : {1, 5, 11}) {  // replaces the tokens from here on, some with padding
      example::PaddedBatch changed = batch;
      for (Index t = from; t < T; ++t) {
        for (Index b = 0; b < B; ++b) {
          changed.target_input(b, t) = static_cast<Id>((batch.target_input(b, t) + 1 + b) % 7);
        }
      }
      changed.remake_masks();
      const Buffer<TestType>& others = model.forward(changed);
      for (Index b = 0; b < B; ++b) {
        CAPTURE(norm == Norm::post, from, b);
        CHECK(same_bits(others.view().middle_rows(b * T, from), p.view().middle_rows(b * T, from)));
        CHECK_FALSE(same_bits(others.row(b * T + from), p.row(b * T + from)));
      }
    }
  }
}

TEST_CASE("Every target token sees the whole source", "[model]") {
  RandomModel<double> random(example::settings(Norm::post, Tying::target));
  example::PaddedBatch batch = example::batch();
  const Buffer<double> p = random.forward(batch);
  batch.source(0, 4) = 7;  // the last token of the first sentence
  const Buffer<double>& others = random.forward(batch);
  for (Index t = 0; t < 4; ++t) {
    CHECK(largest_difference(others.row(t), p.row(t)) > 1e-6);
  }
  CHECK(same_bits(others.view().middle_rows(4, 8), p.view().middle_rows(4, 8)));  // the other sentences
}

TEST_CASE("Each of the four dropout rates drops something", "[model]") {
  const example::PaddedBatch batch = example::batch();
  const TransformerSettings plain = example::settings(Norm::post, Tying::target);
  RandomModel<double> without(plain);
  without.forward(batch, batch.training());
  for (double TransformerSettings::*const rate :
       {&TransformerSettings::dropout, &TransformerSettings::embedding_dropout, &TransformerSettings::attention_dropout,
        &TransformerSettings::activation_dropout}) {
    TransformerSettings settings = plain;
    settings.*rate = 0.3;
    RandomModel<double> random(settings);
    CHECK(largest_difference(random.forward(batch, batch.training()), *without.in_place) > 1e-3);
  }
}

TEMPLATE_TEST_CASE("A model that has run another batch gives the same bits as a fresh one", "[model]", float, double) {
  RandomValues random(6);
  const example::PaddedBatch batch = example::batch();
  const example::PaddedBatch larger = example::random_batch(random, 5, 9);
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const TransformerSettings settings = example::with_dropout(example::settings(norm, Tying::all));
    RandomModel<TestType> used(settings);
    RandomModel<TestType> fresh(settings);
    used.forward_backward(larger);
    std::ranges::fill(used.gradient.values(), TestType{0});
    used.forward_backward(batch);
    fresh.forward_backward(batch);
    CHECK(same_bits(*used.in_place, *fresh.in_place));  // d_logits
    CHECK(same_bits(used.gradient.values(), fresh.gradient.values()));
  }
}

TEMPLATE_TEST_CASE("bind() sets which weights are read and which gradient backward adds to", "[model]", float, double) {
  const TransformerSettings settings = example::settings(Norm::post, Tying::target);
  const example::PaddedBatch batch = example::batch();
  RandomModel<TestType> first(settings);
  RandomModel<TestType> second(settings);
  RandomValues(2).fill(second.weights);
  first.forward_backward(batch);
  second.forward_backward(batch);
  CHECK_FALSE(same_bits(first.gradient.values(), second.gradient.values()));

  Arena<TestType> gradient(first.model.tensors());
  const Arena<TestType> before = first.gradient;
  first.model.bind(second.weights, gradient);
  first.forward_backward(batch);
  CHECK(same_bits(*first.in_place, *second.in_place));
  CHECK(same_bits(gradient.values(), second.gradient.values()));
  CHECK(same_bits(first.gradient.values(), before.values()));

  first.forward_backward(batch);  // adds
  const RowVector<TestType> twice = 2 * second.gradient.values().eigen();
  CHECK(largest_difference(gradient.values(), twice) < 1e-5 * twice.cwiseAbs().maxCoeff());
}

TEST_CASE("Loss and gradient in float are the same as in double, up to rounding", "[model]") {
  RandomValues random(7);
  const example::PaddedBatch batch = example::random_batch(random, 4, 11);
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const TransformerSettings settings = wide(example::with_dropout(example::settings(norm, Tying::target)));
    RandomModel<double> exact(settings);
    RandomModel<float> rounded(settings);
    // These weights are smaller than the usual -1 .. 1. With those, softmax at this width would be close to an argmax
    // and would amplify rounding.
    rounded.weights.values().eigen() = (exact.weights.values().eigen() / 8).cast<float>();
    exact.weights.values().eigen() = rounded.weights.values().eigen().cast<double>();
    exact.forward_backward(batch);
    rounded.forward_backward(batch);
    CHECK(rounded.loss.loss == Approx(exact.loss.loss).epsilon(1e-5));
    CHECK(rounded.loss.correct == exact.loss.correct);
    for (const TensorPlace& tensor : exact.gradient.tensors()) {
      if (tensor.name.ends_with("k_proj.bias")) {
        continue;  // 0 except for rounding
      }
      CAPTURE(tensor.name);
      const auto gradient = exact.gradient.values(tensor);
      const double difference = largest_difference(gradient, rounded.gradient.values(tensor));
      CHECK(difference < 1e-4 * gradient.eigen().cwiseAbs().maxCoeff());
    }
  }
}

TEMPLATE_TEST_CASE("Models that run in parallel give the same bits as each alone", "[model][threads]", float, double) {
  const TransformerSettings settings = wide(example::with_dropout(example::settings(Norm::post, Tying::target)));
  RandomValues random(8);
  std::vector<example::PaddedBatch> batches;
  for (Index i = 0; i < 6; ++i) {
    batches.push_back(example::random_batch(random, 2, 5 + 2 * i));
  }

  const auto gradients_with = [&](int threads) {
    const WithThreads with(threads);
    std::vector<std::unique_ptr<RandomModel<TestType>>> models;
    for (Index i = 0; i < 6; ++i) {
      models.push_back(std::make_unique<RandomModel<TestType>>(settings));
    }
    run_tasks(6, [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      models[k]->forward_backward(batches[k]);
    });
    std::vector<Buffer<TestType>> gradients;
    for (const auto& model : models) {
      gradients.push_back(buffer_of(model->gradient.values()));
    }
    return gradients;
  };
  const auto expected = gradients_with(1);
  for (const int threads : {2, 5}) {
    const auto gradients = gradients_with(threads);
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(same_bits(gradients[i], expected[i]));
    }
  }
}

TEST_CASE("Every tensor has a unique name, and tied matrices are stored once under Marian's names", "[model]") {
  const auto names = [](Norm norm, Tying tying) {
    const Transformer<float> model(example::settings(norm, tying), example::vocabulary(tying));
    std::set<std::string> set;
    for (const TensorPlace& tensor : model.tensors()) {
      set.insert(tensor.name);
    }
    CHECK(set.size() == model.tensors().size());
    return set;
  };
  const std::string source = "model.encoder.embed_tokens.weight";
  const std::string target = "model.decoder.embed_tokens.weight";
  const std::string output = "lm_head.weight";
  const std::string shared = "model.shared.weight";

  const auto none = names(Norm::post, Tying::none);
  const auto one = names(Norm::post, Tying::target);
  const auto all = names(Norm::pre, Tying::all);
  CHECK((none.contains(source) && none.contains(target) && none.contains(output) && !none.contains(shared)));
  CHECK((one.contains(source) && one.contains(target) && !one.contains(output) && !one.contains(shared)));
  CHECK((!all.contains(source) && !all.contains(target) && !all.contains(output) && all.contains(shared)));
  for (const auto& set : {none, one, all}) {
    CHECK(set.contains("final_logits_bias"));
  }

  // 16 tensors per encoder layer, 26 per decoder layer.
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

TEST_CASE("Tied embeddings are one matrix, used two or three times", "[model]") {
  const auto tables = [](Tying tying) {
    RandomModel<float> random(example::settings(Norm::post, tying));
    return std::array{random.model.source_embedding.table.value().data() - random.weights.values().data(),
                      random.model.target_embedding.table.value().data() - random.weights.values().data(),
                      random.model.output.weight.value().data() - random.weights.values().data()};
  };
  const auto all = tables(Tying::all);
  const auto one = tables(Tying::target);
  const auto none = tables(Tying::none);
  CHECK(all[0] == all[1]);
  CHECK(all[1] == all[2]);
  CHECK(one[0] != one[1]);
  CHECK(one[1] == one[2]);
  CHECK((none[0] != none[1] && none[1] != none[2] && none[0] != none[2]));
}

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "page/explained_example.hpp"
#include "reference_arithmetic/reference_arithmetic.hpp"

using namespace glassformer;
using example::ExplainedExample;

namespace {

constexpr Id kPadding = 0;

double norm_of(RowView<const float> values) {
  return std::sqrt(reference::sum_of_squares(values.data(), values.size()));
}

TransformerSettings with_norm(Norm norm) {
  TransformerSettings settings = tiny_settings();
  settings.norm = norm;
  return settings;
}

}  // namespace

TEST_CASE("With the model's own masks, the trace has the same numbers as training, bit for bit", "[recording]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const ExplainedExample example(with_norm(norm));
    const Batch& batch = example.explanation.batch;
    const Arena<float>& weights = example.tiny.model.weights;
    Arena<float> gradient(weights.tensors());
    const auto model = make_transformer(example.tiny.model, 0.1);
    model->bind(weights, gradient);
    const TransformerMasks masks = model->masks(batch.source, batch.target_input);
    const LossSum loss = model->forward({}, {batch.source, batch.target_input, batch.target_output, masks});
    const auto check_attention = [&](std::size_t i, const auto& attention) {
      CHECK(same_bits(example.right().attention.at(i).weights, attention.sublayer.attention.weights()));
    };
    check_attention(0, model->encoder_layers[0].self_attention);
    check_attention(2, model->decoder_layers[0].self_attention);
    check_attention(5, model->decoder_layers[1].cross_attention);
    CHECK(example.right().attention.size() == 6);

    CHECK(loss.tokens == 9);
    CHECK(example.right().loss.loss == loss.loss);
    CHECK(example.right().loss.cross_entropy == loss.cross_entropy);
    CHECK(example.right().loss.tokens == loss.tokens);
    CHECK(example.right().loss.correct == loss.correct);
    model->backward({}, 1.0F / 9);
    REQUIRE(example.right().gradient_norms.size() == gradient.tensors().size());
    for (std::size_t i = 0; i < gradient.tensors().size(); ++i) {
      const TensorPlace& place = gradient.tensors()[i];
      CAPTURE(place.name);
      CHECK(example.right().gradient_norms[i] == norm_of(gradient.values(place)));
      CHECK(tensor_norms(weights).at(i) == norm_of(weights.values(place)));
    }
  }
}

TEST_CASE("With dropout, the trace has the numbers of the first update's training pass with the same seed",
          "[recording]") {
  TransformerSettings settings = tiny_settings();
  settings.attention_dropout = 0.2;
  settings.activation_dropout = 0.3;
  const ExplainedExample example(settings, example::two_pairs(), true);
  const Batch& batch = example.explanation.batch;
  const TransformerMasks& masks = example.explanation.right().masks;
  const Arena<float>& weights = example.tiny.model.weights;
  const auto train = [&](std::uint64_t seed, std::uint32_t update, std::span<const Index> sentences) {
    Arena<float> gradient(weights.tensors());
    const auto model = make_transformer(example.tiny.model, 0.1);
    model->bind(weights, gradient);
    const Pass pass{.training = true, .seed = seed, .update = update, .sentences = sentences};
    const LossSum loss = model->forward(pass, {batch.source, batch.target_input, batch.target_output, masks});
    model->backward(pass, 1 / static_cast<float>(loss.tokens));
    return std::pair(loss.loss, tensor_norms(gradient));
  };
  const std::vector<Index> sentences{0, 1};
  CHECK(batch.sentences == sentences);
  const std::uint64_t seed = example.explained().seed;
  CHECK(train(seed, 1, sentences) == std::pair(example.right().loss.loss, example.right().gradient_norms));
  const std::vector<Index> others{1, 0};
  for (const double loss : {train(seed + 1, 1, sentences).first, train(seed, 2, sentences).first,
                            train(seed, 0, sentences).first, train(seed, 1, others).first}) {
    CHECK(loss != example.right().loss.loss);
  }
  const Answers forward_only = find_answers(example.explained(), batch, masks);
  CHECK(same_bits(example::losses(forward_only), example::losses(example.right().answers)));
}

TEST_CASE("Losses are given for each position, 0 where padding is expected", "[recording]") {
  const ExplainedExample example;
  for (const ExplainedVariant& variant : example.explanation.variants) {
    const Matrix<float> losses = example::losses(variant.trace.answers);
    REQUIRE((losses.rows() == 2 && losses.cols() == 6));
    CHECK(losses.cast<double>().sum() == Approx(variant.trace.loss.loss));
    for (Index b = 0; b < 2; ++b) {
      for (Index t = 0; t < 6; ++t) {
        const bool padding = example.explanation.batch.target_output(b, t) == kPadding;
        CHECK((losses(b, t) == 0) == padding);
      }
    }
  }
}

TEST_CASE("An answer is the model's distribution at a position, most likely first, and the expected token's loss",
          "[recording]") {
  const ExplainedExample example;
  const Answers& answers = example.right().answers;
  const Matrix<double>& logits = example.computed("decoder.output", "y");
  REQUIRE(answers.size() == 2);
  double loss = 0;
  for (Index b = 0; b < 2; ++b) {
    const auto& positions = answers[static_cast<std::size_t>(b)];
    REQUIRE(positions.size() == 6);
    for (Index t = 0; t < 6; ++t) {
      const Answer& answer = positions[static_cast<std::size_t>(t)];
      const Eigen::ArrayXd powers = logits.row(b * 6 + t).transpose().array().exp();
      const Eigen::ArrayXd p = powers / powers.sum();
      CAPTURE(b, t);
      CHECK(answer.expected == example.explanation.batch.target_output(b, t));
      CHECK(answer.counted == (answer.expected != kPadding));
      REQUIRE(answer.likeliest.size() == 10);
      std::set<Id> ids;
      for (const LikelyToken& token : answer.likeliest) {
        CHECK(token.probability == Approx(p(token.id)));
        CHECK(token.probability <= answer.likeliest[ids.size() == 0 ? 0 : ids.size() - 1].probability);
        ids.insert(token.id);
      }
      CHECK(ids.size() == 10);
      CHECK(answer.likeliest.front().probability == Approx(p.maxCoeff()));
      if (!answer.counted) {
        continue;
      }
      CHECK(answer.probability == Approx(p(answer.expected)));
      CHECK(answer.cross_entropy == Approx(-std::log(p(answer.expected))));
      CHECK(answer.loss == Approx(0.9 * answer.cross_entropy - 0.1 * p.log().mean()).epsilon(1e-5));
      loss += answer.loss;
    }
  }
  CHECK(loss == Approx(example.right().loss.loss));
}

TEST_CASE("A padded position has no probability, even if no column belongs to the padding id", "[recording]") {
  const ExplainedExample example;
  TransformerSettings settings = tiny_settings();
  VocabularyShape vocabulary = example.tiny.model.vocabulary;
  vocabulary.special.source.pad = vocabulary.special.target.pad =
      kNoToken;  // as in OPUS-MT, whose padding token starts every target
  Model<float> model(settings, vocabulary);
  initialize(model, 1);
  Batch batch = example.explanation.batch;
  for (IdMatrix* const ids : {&batch.source, &batch.target_input, &batch.target_output}) {
    for (Index b = 0; b < ids->rows(); ++b) {
      std::ranges::replace(ids->row(b), kPadding, kNoToken);
    }
  }
  const TransformerMasks masks = make_transformer(model)->masks(batch.source, batch.target_input);
  Index padded = 0;
  for (const auto& positions : find_answers({model, 0, false, 1}, batch, masks)) {
    for (const Answer& answer : positions) {
      CHECK(answer.counted == (answer.expected != kNoToken));
      if (answer.counted) {
        continue;
      }
      ++padded;
      CHECK(answer.probability == 0);  // what lies before the row in memory is not 0
    }
  }
  CHECK(padded == 3);
}

TEST_CASE("A small vocabulary is shown in full", "[recording]") {
  const ExplainedExample example(tiny_settings(), {{"a b", "t"}}, false, 3);
  for (const Answer& answer : example.right().answers.at(0)) {
    CHECK(answer.likeliest.size() == 7);
    double sum = 0;
    for (const LikelyToken& token : answer.likeliest) {
      sum += token.probability;
    }
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("Attention is distributed over the visible keys: rows sum to 1, and blocked keys get 0", "[recording]") {
  const ExplainedExample example;
  const TransformerMasks& masks = example.explanation.variants.front().masks;
  const Index B = 2;
  const Index H = example.tiny.model.settings.heads;
  const std::vector<const Mask*> of_layer{&masks.encoder_padding, &masks.encoder_padding,  &masks.decoder_combined,
                                          &masks.cross_padding,   &masks.decoder_combined, &masks.cross_padding};
  for (std::size_t i = 0; i < of_layer.size(); ++i) {
    const Matrix<float>& weights = example.right().attention.at(i).weights;
    const Index T = weights.rows() / (B * H);
    CAPTURE(i);
    CHECK((weights.array() >= 0).all());
    for (Index row = 0; row < weights.rows(); ++row) {
      CHECK(weights.row(row).sum() == Approx(1).epsilon(1e-5));
      for (Index s = 0; s < weights.cols(); ++s) {
        if (of_layer[i]->is_blocked(row / (H * T), row % T, s)) {
          CHECK(weights(row, s) == 0);
        }
      }
    }
  }
}

TEST_CASE("The gradients from all decoder layers add up to the gradient of the memory", "[recording]") {
  const ExplainedExample example;
  const Matrix<double> sum = example.computed("decoder.layers.0.encoder_attn.kv_proj", "d_x") +
                             example.computed("decoder.layers.1.encoder_attn.kv_proj", "d_x");
  const Matrix<double>& whole = example.computed("decoder", "d_memory");
  CHECK(whole.cwiseAbs().maxCoeff() > 0);
  CHECK(largest_difference(sum, whole) < 1e-6 * whole.cwiseAbs().maxCoeff());
}

TEST_CASE("Dropout is drawn only on request, and is the same for the same seed", "[recording]") {
  const auto drops = [](const ExplainedExample& example) {
    return std::ranges::any_of(example.explanation.recording.steps(),
                               [](const RecordedStep& step) { return step.part.ends_with("dropout"); });
  };
  const ExplainedExample without;
  const ExplainedExample with(tiny_settings(), example::two_pairs(), true);
  const ExplainedExample again(tiny_settings(), example::two_pairs(), true);
  CHECK_FALSE(drops(without));
  CHECK(drops(with));
  CHECK(with.right().loss.loss != without.right().loss.loss);
  CHECK(with.right().loss.loss == again.right().loss.loss);
}

TEST_CASE("Of equally likely tokens, the one with the lowest id comes first; NaN comes last", "[recording]") {
  example::ExplainedExample example;
  const Batch& batch = example.explanation.batch;
  const TransformerMasks& masks = example.explanation.right().masks;
  Arena<float>& weights = example.tiny.model.weights;
  std::ranges::fill(weights.values(), 0.0F);  // all tokens are equally likely
  const auto first = [&] { return find_answers(example.explained(), batch, masks).at(0).at(0).likeliest; };
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(first().at(i).id == static_cast<Id>(i));
  }
  std::ranges::fill(weights.values(), std::nanf(""));
  CHECK(first().at(0).id == 0);
  CHECK(std::isnan(first().at(0).probability));
}

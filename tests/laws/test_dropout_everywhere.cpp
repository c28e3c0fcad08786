#include <cmath>
#include <set>
#include <vector>

#include "glassformer/recording/recording.hpp"
#include "laws/draws.hpp"
#include "single_layer.hpp"

/// Dropout keeps the expectation, is off in evaluation, draws its numbers only from (seed, update, sentence, site), and
/// uses the same factors backward as forward.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// What dropout keeps of sentence `b` of a batch in one forward pass: a matrix of 0 and 1 for each dropout site. It
/// leaves out the rows and columns of padding at the sentence's end.
std::vector<Matrix<double>> kept(DrawnModel<double>& drawn, const example::PaddedBatch& batch, Pass pass, Index b = 0) {
  Recording recording;
  pass.recorder = &recording;
  drawn.model.forward(pass, batch.input());

  const TransformerSettings& settings = drawn.model.settings;
  const example::PaddedBatch sentence = example::alone(batch, b);
  const Index S = sentence.source.cols();
  const Index T = sentence.target_input.cols();
  std::vector<Matrix<double>> sites;
  for (const RecordedStep& step : recording.steps()) {
    if (!step.part.ends_with(".dropout")) {
      continue;
    }
    const Matrix<double>& padded = recording.tensors()[step.inputs[1].tensor].values;
    const bool of_attention = step.part.ends_with("attn.dropout");
    const bool of_encoder = step.part.starts_with("encoder.");
    const bool of_source = of_encoder || step.part.ends_with("encoder_attn.dropout");
    const Index rows = of_encoder ? S : T;
    const Index cols = !of_attention ? padded.cols() : of_source ? S : T;
    const Index groups = of_attention ? settings.heads : 1;
    const Index padded_rows = padded.rows() / (batch.source.rows() * groups);
    Matrix<double>& site = sites.emplace_back(groups * rows, cols);
    for (Index g = 0; g < groups; ++g) {
      site.middleRows(g * rows, rows) = padded.block((b * groups + g) * padded_rows, 0, rows, cols);
    }
  }
  REQUIRE(std::ssize(sites) == 2 + 4 * settings.encoder_layers + 6 * settings.decoder_layers);
  return sites;
}

}  // namespace

TEST_CASE("Law: dropout keeps the expectation", "[laws]") {
  // The sum of n factors has mean n and variance n rate / (1 - rate). Its error in standard deviations is nearly
  // normal, so the sum of 200 squared errors is nearly chi-squared. That sum is below 134 one time in ten thousand,
  // and above 283 just as rarely. At least one of the 200 errors exceeds 5 one time in nine thousand.
  double squares = 0;
  hold(
      41,
      [&](RandomValues& random) {
        const double rate = random.number(0.05, 0.8);
        const std::vector<Index> sentences{random.index(1000)};
        const Pass pass{.training = true,
                        .seed = static_cast<std::uint64_t>(random.index(1000)),
                        .update = 3,
                        .sentences = sentences};
        Buffer<double> ones(between(random, 20, 60), between(random, 20, 60));
        ones.fill(1);
        SingleLayer<Dropout<double>> dropout(random, rate);
        dropout->forward_in_place(pass, ones);
        const auto n = static_cast<double>(ones.size());
        const double deviations = (ones.eigen().sum() - n) / std::sqrt(n * rate / (1 - rate));
        CHECK(std::abs(deviations) < 5);
        squares += deviations * deviations;
      },
      200);
  CHECK(squares > 134);
  CHECK(squares < 283);
}

TEST_CASE("Law: in evaluation, a model with dropout gives the same bits as one without", "[laws]") {
  hold(42, [](RandomValues& random) {
    const TransformerSettings settings = draw_settings(random);
    DrawnModel<double> without(random, settings);
    DrawnModel<double> with(random, draw_dropout(random, settings));
    copy_weights(without, with);
    const example::PaddedBatch batch = draw_batch(random);
    without.forward(batch, batch.training());
    with.forward(batch, batch.training());
    CHECK_FALSE(same_bits(with.logits, without.logits));
    Pass evaluation = batch.training();  // includes the sentences, which evaluation does not need
    evaluation.training = false;
    with.forward(batch, evaluation);
    CHECK(same_bits(with.logits, without.logits));
  });
}

TEST_CASE("Law: the dropout drawn for a sentence depends neither on its batch nor on its place in it", "[laws]") {
  hold(43, [](RandomValues& random) {
    DrawnModel<double> drawn(random, draw_dropout(random, draw_settings(random)));
    const example::PaddedBatch batch = draw_batch(random);
    const Index b = random.index(batch.source.rows());
    const example::PaddedBatch sentence = example::alone(batch, b);
    const auto in_batch = kept(drawn, batch, batch.training(), b);
    CHECK((in_batch == kept(drawn, sentence, sentence.training())));
  });
}

TEST_CASE("Law: every site draws different dropout for another seed, update or sentence, and differs from other sites",
          "[laws]") {
  hold(44, [](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.dropout = settings.embedding_dropout = settings.attention_dropout = settings.activation_dropout = 0.5;
    settings.d_ff = between(random, 6, 20);
    DrawnModel<double> drawn(random, settings);
    const example::PaddedBatch sentence = example::random_batch(random, 1, 6);
    const Pass pass = sentence.training();
    Pass other_seed = pass;
    Pass other_update = pass;
    Pass other_sentence = pass;
    ++other_seed.seed;
    ++other_update.update;
    const std::vector<Index> neighbour{sentence.sentences[0] + 1};
    other_sentence.sentences = neighbour;

    const auto original = kept(drawn, sentence, pass);
    const auto again = kept(drawn, sentence, pass);
    const auto with_seed = kept(drawn, sentence, other_seed);
    const auto with_update = kept(drawn, sentence, other_update);
    const auto with_sentence = kept(drawn, sentence, other_sentence);
    std::set<std::vector<double>> drawn_by_sites;  // 6 x 6 numbers per site, which will not be equal by chance
    for (std::size_t site = 0; site < original.size(); ++site) {
      CAPTURE(site);
      CHECK((original[site] == again[site]));
      CHECK((original[site] != with_seed[site]));
      CHECK((original[site] != with_update[site]));
      CHECK((original[site] != with_sentence[site]));
      const Matrix<double> corner = original[site].topLeftCorner(6, 6);
      drawn_by_sites.emplace(corner.data(), corner.data() + corner.size());
    }
    CHECK(drawn_by_sites.size() == original.size());
  });
}

TEMPLATE_TEST_CASE("Law: dropout multiplies by the same factors backward as forward", "[laws]", float, double) {
  hold(45, [](RandomValues& random) {
    const std::vector<Index> sentences{random.index(1000), random.index(1000)};
    const Pass pass{.training = true, .seed = 5, .update = 6, .sentences = sentences};
    const Index groups = between(random, 1, 3);
    Buffer<TestType> x = random.matrix<TestType>(2 * groups * between(random, 1, 6), between(random, 1, 20));
    Buffer<TestType> d_y = x;
    SingleLayer<Dropout<TestType>, TestType> dropout(random, random.number(0.05, 0.9), groups);
    dropout->forward_in_place(pass, x);
    dropout->backward_in_place(pass, d_y);
    CHECK(same_bits(x, d_y));
  });
}

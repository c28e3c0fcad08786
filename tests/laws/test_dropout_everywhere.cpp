#include <cmath>
#include <set>
#include <vector>

#include "laws/draws.hpp"

/// Dropout keeps the expectation, is off in evaluation, draws its numbers from (seed, update, sentence, site) and
/// nothing else, and goes back by the very way on which it came.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// What a model's dropout multiplied by in its last forward pass, as far as it concerns sentence `b` of its batch: a
/// matrix for each site that draws, without the rows and columns of padding behind the sentence's end.
std::vector<Matrix<double>> factors(const DrawnModel<double>& drawn, Index b, Index batch_size,
                                    const example::PaddedBatch& sentence) {
  std::vector<Matrix<double>> sites;
  const auto take = [&](const Dropout<double>::Cache& cache, Index rows, Index cols, Index groups = 1) {
    REQUIRE(cache.active);
    const Index padded = cache.kept.rows() / (batch_size * groups);
    Matrix<double>& site = sites.emplace_back(groups * rows, cols);
    for (Index g = 0; g < groups; ++g) {
      site.middleRows(g * rows, rows) =
          cache.scale * cache.kept.block((b * groups + g) * padded, 0, rows, cols).cast<double>();
    }
  };
  const Index D = drawn.model.settings.d_model, F = drawn.model.settings.d_ff, H = drawn.model.settings.heads;
  const Index S = sentence.source.cols(), T = sentence.target_input.cols();
  take(drawn.cache.source_embedding.dropout, S, D);
  take(drawn.cache.target_embedding.dropout, T, D);
  for (const auto& layer : drawn.cache.encoder) {
    take(layer.self_attention.attention.dropout, S, S, H);
    take(layer.self_attention_join.dropout, S, D);
    take(layer.feed_forward.dropout, S, F);
    take(layer.feed_forward_join.dropout, S, D);
  }
  for (const auto& layer : drawn.cache.decoder) {
    take(layer.self_attention.attention.dropout, T, T, H);
    take(layer.self_attention_join.dropout, T, D);
    take(layer.cross_attention.attention.dropout, T, S, H);
    take(layer.cross_attention_join.dropout, T, D);
    take(layer.feed_forward.dropout, T, F);
    take(layer.feed_forward_join.dropout, T, D);
  }
  return sites;
}

std::vector<Matrix<double>> factors_alone(DrawnModel<double>& drawn, const example::PaddedBatch& sentence,
                                          const Pass& pass) {
  drawn.forward(sentence, pass);
  return factors(drawn, 0, 1, sentence);
}

}  // namespace

TEST_CASE("Law: dropout keeps the expectation", "[laws]") {
  // The sum of n factors has mean n and variance n rate / (1 - rate). How many deviations it is off is nearly normal,
  // so the sum of 200 such squares is nearly chi-squared: beyond 134 .. 283 once in ten thousand times on either side.
  // That one of 200 is off by more than 5 happens once in nine thousand times.
  double squares = 0;
  hold(41, [&](RandomValues& random) {
    const double rate = random.number(0.05, 0.8);
    const std::vector<Index> sentences{random.index(1000)};
    const Pass pass{.training = true, .seed = static_cast<std::uint64_t>(random.index(1000)), .update = 3,
                    .sentences = sentences};
    Buffer<double> ones(between(random, 20, 60), between(random, 20, 60));
    ones.setOnes();
    Dropout<double>::Cache cache;
    Dropout<double>::forward(rate, pass, static_cast<Site>(random.index(50)), 1, ones, cache);
    const auto n = static_cast<double>(ones.size());
    const double deviations = (ones.sum() - n) / std::sqrt(n * rate / (1 - rate));
    CHECK(std::abs(deviations) < 5);
    squares += deviations * deviations;
  }, 200);
  CHECK(squares > 134);
  CHECK(squares < 283);
}

TEST_CASE("Law: in evaluation a model with dropout gives the bits of the same model without", "[laws]") {
  hold(42, [](RandomValues& random) {
    const TransformerSettings settings = draw_settings(random);
    DrawnModel<double> without(random, settings), with(random, draw_dropout(random, settings));
    with.parameters.values() = without.parameters.values();
    const example::PaddedBatch batch = draw_batch(random);
    without.forward(batch, batch.training());
    with.forward(batch, batch.training());
    CHECK_FALSE(same_bits(with.logits, without.logits));
    Pass evaluation = batch.training();  // which knows the sentences, as evaluation need not
    evaluation.training = false;
    with.forward(batch, evaluation);
    CHECK(same_bits(with.logits, without.logits));
  });
}

TEST_CASE("Law: what dropout draws for a sentence depends neither on its batch nor on its place in it", "[laws]") {
  hold(43, [](RandomValues& random) {
    DrawnModel<double> drawn(random, draw_dropout(random, draw_settings(random)));
    const example::PaddedBatch batch = draw_batch(random);
    const Index B = batch.source.rows(), b = random.index(B);
    const example::PaddedBatch sentence = example::alone(batch, b);
    drawn.forward(batch, batch.training());
    const auto in_batch = factors(drawn, b, B, sentence);
    CHECK((in_batch == factors_alone(drawn, sentence, sentence.training())));
  });
}

TEST_CASE("Law: at every site dropout draws anew for another seed, update or sentence, and not what another site draws",
          "[laws]") {
  hold(44, [](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.dropout = settings.embedding_dropout = settings.attention_dropout = settings.activation_dropout = 0.5;
    settings.d_ff = between(random, 6, 20);
    DrawnModel<double> drawn(random, settings);
    const example::PaddedBatch sentence = example::random_batch(random, 1, 6);
    const Pass pass = sentence.training();
    Pass other_seed = pass, other_update = pass, other_sentence = pass;
    ++other_seed.seed;
    ++other_update.update;
    const std::vector<Index> neighbour{sentence.sentences[0] + 1};
    other_sentence.sentences = neighbour;

    const auto here = factors_alone(drawn, sentence, pass);
    const auto again = factors_alone(drawn, sentence, pass);
    const auto with_seed = factors_alone(drawn, sentence, other_seed);
    const auto with_update = factors_alone(drawn, sentence, other_update);
    const auto with_sentence = factors_alone(drawn, sentence, other_sentence);
    std::set<std::vector<double>> drawn_by_sites;  // of each site 6 x 6 numbers, which will not be equal by chance
    for (std::size_t site = 0; site < here.size(); ++site) {
      CAPTURE(site);
      CHECK((here[site] == again[site]));
      CHECK((here[site] != with_seed[site]));
      CHECK((here[site] != with_update[site]));
      CHECK((here[site] != with_sentence[site]));
      const Matrix<double> corner = here[site].topLeftCorner(6, 6);
      drawn_by_sites.emplace(corner.data(), corner.data() + corner.size());
    }
    CHECK(drawn_by_sites.size() == here.size());
  });
}

TEMPLATE_TEST_CASE("Law: dropout's backward multiplies by what its forward multiplied by", "[laws]", float, double) {
  hold(45, [](RandomValues& random) {
    const std::vector<Index> sentences{random.index(1000), random.index(1000)};
    const Pass pass{.training = true, .seed = 5, .update = 6, .sentences = sentences};
    const Index groups = between(random, 1, 3);
    Buffer<TestType> x = random.matrix<TestType>(2 * groups * between(random, 1, 6), between(random, 1, 20));
    Buffer<TestType> d_y(x.rows(), x.cols());
    d_y.view() = x;
    typename Dropout<TestType>::Cache cache;
    Dropout<TestType>::forward(random.number(0.05, 0.9), pass, 7, groups, x, cache);
    Dropout<TestType>::backward(cache, d_y);
    CHECK(same_bits(x, d_y));
  });
}

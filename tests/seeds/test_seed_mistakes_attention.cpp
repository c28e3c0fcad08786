#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// The seeds' mistakes about attention, dropout and the loss. test_seed_mistakes.cpp lists them all.

namespace {

/// Words and weights of seed 002's cross-attention. The weights multiply from the right: x W.
struct CrossExample {
  Golden golden{"002.cross_attention"};
  Matrix<double> x_dec = golden.input("x_dec"), x_enc = golden.input("x_enc");  // [T, D], [S, D]
  Matrix<double> Wq = golden.input("Wq"), Wk = golden.input("Wk"), Wv = golden.input("Wv");
};

}  // namespace

TEST_CASE("Mistake 2: if its sides are swapped, cross-attention fails, or silently computes something else",
          "[mistakes]") {
  const CrossExample e;  // T = 2, S = 3
  // Queries (and values) from the encoder, keys from the decoder: weights [S, T] cannot multiply values [S, D].
  const Matrix<double> weights = unmasked_softmax<double>((e.x_enc * e.Wq) * (e.x_dec * e.Wk).transpose());
  CHECK(weights.cols() == 2);
  CHECK((e.x_enc * e.Wv).rows() == 3);

  // If the source happens to have as many words as the target, shapes fit, but row t is no longer word t of the target.
  const Matrix<double> source = e.x_enc.topRows(2);
  const Matrix<double> wrong = attend<double>(source * e.Wq, e.x_dec * e.Wk, source * e.Wv, nothing_blocked(2)).context;
  const Matrix<double> right = attend<double>(e.x_dec * e.Wq, source * e.Wk, source * e.Wv, nothing_blocked(2)).context;
  check_close(wrong, Matrix<double>{{0.145820, 2.437461}, {0.240663, 2.721989}});
  check_close(right, Matrix<double>{{0.669762, 4.009285}, {0.830755, 4.492266}});
}

TEST_CASE("Mistake 3: scores use W_K, not W_V, and are scaled", "[mistakes]") {
  const CrossExample e;
  const Matrix<double> v = e.x_enc * e.Wv;
  const Matrix<double> wrong = unmasked_softmax<double>((e.x_dec * e.Wq) * v.transpose()) * v;
  const Matrix<double> right = attend<double>(e.x_dec * e.Wq, e.x_enc * e.Wk, v, nothing_blocked(3)).context;
  check_close(wrong, Matrix<double>{{0.904589, 4.723928}, {-0.464093, 1.169424}});
  check_close(right, Matrix<double>{{0.398090, 3.356972}, {0.720615, 4.222006}});
}

TEST_CASE("Mistake 13: cross-entropy takes logits; given probabilities, it applies the softmax twice", "[mistakes]") {
  const Golden golden("002.cross_entropy_pad");
  const IdMatrix targets = golden.ids("targets");
  const auto mean_loss = [&](const Matrix<double>& logits) {
    return SeedLoss(logits, targets, {.pad = 0}).sum.loss / 2;
  };
  const Matrix<double> logits = golden.input("logits");
  CHECK(mean_loss(unmasked_softmax(logits)) == Approx(1.324752).epsilon(1e-6));  // wrong
  CHECK(mean_loss(logits) == Approx(0.873522).epsilon(1e-6));                    // right

  // With probabilities, the loss cannot fall below log(1 + 4 / e), however confident and correct the model is.
  Matrix<double> sure = Matrix<double>::Zero(3, 5);
  for (Index n = 0; n < 3; ++n) {
    sure(n, targets(0, n)) = 1000;
  }
  CHECK(mean_loss(unmasked_softmax(sure)) == Approx(0.904832).epsilon(1e-6));  // wrong
  CHECK(mean_loss(sure) == 0);                                                 // right
}

TEST_CASE("Mistake 16: an example whose weights are all 0 or 1 does not reveal a wrong scale", "[mistakes]") {
  const Golden golden("001.sdpa_prefix");
  const Matrix<double> x = golden.input("q");
  const Mask mask = look_ahead_mask(3);
  const Matrix<double> wrong = masked_softmax<double>(x * x.transpose(), mask);  // not scaled
  const Matrix<double> right = masked_softmax<double>(x * x.transpose() / 2, mask);
  check_close(wrong * x, Matrix<double>{{1, 2, 3, 4}, {5, 6, 7, 8}, {5, 6, 7, 8}});
  check_close(right * x, Matrix<double>{{1, 2, 3, 4}, {5, 6, 7, 8}, {5, 6, 7, 8}});
  // Its smallest weight does.
  CHECK(wrong(1, 0) == Approx(6.813557e-46).epsilon(1e-6));  // exp(-104)
  CHECK(right(1, 0) == Approx(2.610279e-23).epsilon(1e-6));  // exp(-52)
}

TEST_CASE("Mistake 17: a random seed does not fix what PyTorch's dropout draws; in the project it does", "[mistakes]") {
  // torch.manual_seed(123) on two platforms: 18 of 36 entries agree, no more than by chance.
  const Golden golden("003.dropout_on_weights");
  const Matrix<double> first = golden.input("keep");
  const Matrix<double> second = golden.printed("keep_here_seed123");
  CHECK((first.array() == second.array()).count() == 18);

  // In the project, each entry is a function of (seed, update, site, sentence, row, column), computed with integers, so
  // it is the same on every platform.
  RandomValues unused(0);
  SingleLayer<Dropout<double>> dropout(unused, 0.5);
  Buffer<double> x(2, 8);
  x.fill(1);
  dropout->forward_in_place(training_update(123, 1), x);
  CHECK(x.eigen() == Matrix<double>{{0, 0, 2, 2, 0, 2, 2, 0}, {0, 2, 2, 0, 2, 0, 0, 2}});
}

TEST_CASE("Mistake 18: dropout that is created but not applied changes nothing; applied, it changes only training",
          "[mistakes]") {
  const Golden golden("003.causal_class");
  const Matrix<double> x = golden.input("x");
  SeedAttention without(golden);
  SeedAttention attention(golden, 0.5);
  without.forward(x, look_ahead_mask(6));
  const Matrix<double>& not_applied = without.context;  // wrong: the seed's class gives this with dropout 0.5 too
  check_close(not_applied.row(0), Matrix<double>{{-0.451920, 0.221605}});

  // Right: dropout turns the first word's only weight, 1, into 2 or 0.
  attention.forward(x, look_ahead_mask(6), training_update(1, 2));
  check_close(attention.context.row(0), Matrix<double>{{-0.903841, 0.443210}});
  attention.forward(x, look_ahead_mask(6), training_update(1, 0));
  check_close(attention.context.row(0), Matrix<double>{{0, 0}});
  attention.forward(x, look_ahead_mask(6), Pass{});  // not in training
  CHECK(same_bits(attention.context, not_applied));
}

TEST_CASE("Mistake 20: dropout on weights drops links between two words, not units; rows sum to 1 only on average",
          "[mistakes]") {
  const Golden golden("003.causal_class");
  const Matrix<double> x = golden.input("x");
  SeedAttention attention(golden, 0.5);
  // One draw: word 0 is dropped for three of the six queries. If it were a unit, its column would be 0.
  attention.forward(x, look_ahead_mask(6), training_update(1, 4));
  const Matrix<double> dropped = attention.dropped_weights();
  check_close(dropped.col(0).transpose(), Matrix<double>{{2, 0, 0, 0.488936, 0.398818, 0}});
  check_close(dropped.rowwise().sum().transpose(),
              Matrix<double>{{2, 1.033460, 0.681613, 0.997402, 1.176362, 1.008909}});

  constexpr std::uint32_t kDraws = 2000;
  RowVector<double> mean = RowVector<double>::Zero(6);
  for (std::uint32_t update = 0; update < kDraws; ++update) {
    attention.forward(x, look_ahead_mask(6), training_update(1, update));
    mean += attention.dropped_weights().rowwise().sum().transpose() / kDraws;
  }
  CAPTURE(mean);
  CHECK((mean.array() - 1).abs().maxCoeff() < 0.11);  // five standard deviations of the first row, whose sum is 0 or 2
}

TEST_CASE("Mistake 23: W x for a column is x W^T for a row; x W for a row is something else", "[mistakes]") {
  const CrossExample e;
  RandomValues unused(0);
  SingleLayer<Linear<double>> map(unused, 2, 2);
  map.weights.values().eigen().setZero();
  map->weight.in(map.weights).eigen() = e.Wq;
  const Buffer<double> x = buffer_of(e.x_dec);
  const Matrix<double> y = map->forward({}, x).eigen();  // words are rows, and weights are stored [out, in]
  check_close(y, (e.Wq * e.x_dec.transpose()).transpose());
  // If the matrix is square, both fit, and no error tells them apart.
  check_close(e.x_dec * e.Wq, Matrix<double>{{1, 0.5}, {1, -0.75}});  // wrong, for a W that is meant for columns
  check_close(y, Matrix<double>{{1, -0.5}, {0, -1.25}});              // right
}

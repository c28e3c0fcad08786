#include <cmath>

#include "glassformer/batching/batch.hpp"
#include "glassformer/layers/attention.hpp"
#include "glassformer/text/corpus.hpp"
#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"
#include "shifted_mask.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// Seed 002 (formulas, and a sample in PyTorch): padding, the decoder's mask, cross-attention, the steps of training.
// It has the most mistakes of the five. Most of its examples show a mistake next to the right result.

namespace {

/// Blocks what the seed's code blocks: a triangle in the top right corner, from column mask_begin + 1 on.
Table code_mask(Index length, Index mask_begin) {
  Table blocked = Table::Zero(length, length);
  const Index size = length - mask_begin - 1;
  blocked.topRightCorner(size, size).triangularView<Eigen::Upper>().setOnes();
  return blocked;
}

/// Pairs of sentences as ids, without bos, eos and padding.
Corpus corpus_of(const std::vector<std::pair<std::vector<Id>, std::vector<Id>>>& pairs) {
  Corpus corpus;  // pad 0, bos 1, eos 2
  for (const auto& [source, target] : pairs) {
    corpus.append(source, target, corpus.size());
  }
  return corpus;
}

constexpr Id kFirstWord = 4;  // after the special ids

/// A word's id is kFirstWord plus its index in the list; [BOS] and [EOS] are left out.
std::vector<Id> ids_of_words(const std::vector<std::string>& words) {
  std::vector<Id> ids;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "[BOS]" && words[i] != "[EOS]") {
      ids.push_back(kFirstWord + static_cast<Id>(i));
    }
  }
  return ids;
}

std::vector<std::string> words_of_ids(const IdMatrix& ids, const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const Id id : ids.row(0)) {
    result.push_back(id == 1 ? "[BOS]" : id == 2 ? "[EOS]" : words.at(static_cast<std::size_t>(id - kFirstWord)));
  }
  return result;
}

}  // namespace

TEST_CASE("002.padding_outer: v times v also blocks the rows of padded queries; only keys need blocking", "[seeds]") {
  Golden golden("002.padding_outer");
  const Matrix<Id> v = golden.input<Id>("v");  // 0 is padding
  const Table outer = (v.transpose() * v).cast<std::uint8_t>();
  golden.check("outer", outer);
  golden.check("fully_masked_rows", blind_queries(1 - outer.array()));
  // Right: one row for all queries. What padded queries see does not matter, because the loss ignores them.
  golden.check("recommended_key_mask", 1 - padding_mask(golden.ids("v"), 0).blocked.eigen().replicate(5, 1).array());
}

TEST_CASE("002.fully_masked_row: four ways to treat a query that sees nothing", "[seeds]") {
  Golden golden("002.fully_masked_row");
  const Matrix<double> scores = golden.input("scores");
  const Matrix<float> scores_float = golden.input<float>("scores");
  const Mask all = mask_of(Table::Ones(1, 4));
  const double infinity = to_number(".inf");
  golden.check("inf_naive", unmasked_softmax<double>(scores + additive_mask<double>(all, -infinity)));
  golden.check("minus1e9_float32", unmasked_softmax<float>(scores_float + additive_mask<float>(all, -1e9)));
  golden.check("minus1e9_float64", unmasked_softmax<double>(scores + additive_mask<double>(all, -1e9)));
  golden.check("unmasked", unmasked_softmax(scores));

  // Right: it attends to nothing, and its gradient is 0.
  const Matrix<double> weights = masked_softmax(scores, all);
  golden.check("safe_zero", weights);
  Buffer<double> d_scores = buffer_of(scores);  // any d_weights
  MaskedSoftmax<double>("softmax").backward_in_place({}, buffer_of(weights), d_scores);
  golden.check("safe_zero", d_scores);
}

TEST_CASE("002.clm_mask_10: the seed's decoder mask shows 18 keys that it should hide", "[seeds]") {
  Golden golden("002.clm_mask_10");
  const Index T = golden.integer("T");
  const Index prefix = golden.integer("prefix");
  const Table wrong = shifted_mask(T, prefix).blocked.eigen();
  golden.check("seed_matrix", wrong);
  golden.check("seed_visible_per_row", visible_keys(wrong));

  // Right: causal; or, if the first four words are given, all queries see those, and the rest is causal.
  const Table right = prefix_mask(T, prefix).blocked.eigen();
  golden.check("causal", look_ahead_mask(T).blocked);
  golden.check("prefix_lm", right);
  golden.check("prefix_visible_per_row", visible_keys(right));

  const Table leaking = right.array() * (1 - wrong.array());  // should be blocked, but the seed shows it
  golden.check("leaking", leaking);
  golden.check("leaks", leaking.cast<int>().sum());
}

TEST_CASE("002.clm_code: the seed's code shows one key more than its matrix", "[seeds]") {
  Golden golden("002.clm_code");
  const Index T = golden.integer("tgt_length");
  const Index begin = golden.integer("mask_begin");
  golden.check("code_matrix", code_mask(T, begin));
  golden.check("visible_row0", visible_keys(code_mask(T, begin))(0));
  golden.check("matrix_visible_row0", visible_keys(shifted_mask(T, begin).blocked.eigen())(0));
  golden.check("matrix_visible_row0",
               visible_keys(prefix_mask(T, begin).blocked.eigen())(0));  // which is right for row 0
}

TEST_CASE("002.clm_code_begin0: with mask_begin 0, the seed's code gives the causal mask", "[seeds]") {
  Golden golden("002.clm_code_begin0");
  const Index T = golden.integer("tgt_length");
  const Table code = code_mask(T, golden.integer("mask_begin"));
  golden.check("code_matrix", code);
  golden.check("code_matrix", look_ahead_mask(T).blocked);
  golden.check("equals_causal", code == look_ahead_mask(T).blocked.eigen());
}

TEST_CASE("002.scale: scores are divided by the square root of a head's width, not of the model's", "[seeds]") {
  Golden golden("002.scale");
  const Matrix<double> raw = golden.input("raw");  // 2, 0, -2
  const Index d_model = golden.integer("d_model");
  const Index heads = golden.integer("heads");
  // Head 0 owns columns 0 and 1. Its query is (1, 1), and its keys are (1, 1), (0, 0) and (-1, -1).
  Matrix<double> q = Matrix<double>::Zero(1, d_model);
  Matrix<double> k = Matrix<double>::Zero(3, d_model);
  q.leftCols(2).setOnes();
  k.leftCols(2) = raw.transpose().replicate(1, 2) / 2;
  golden.check("sqrt_dk", attend(q, k, k, nothing_blocked(3), heads).weights.row(0));

  // With the seed's divisor, the softmax is flatter than it should be.
  golden.check("sqrt_dmodel", unmasked_softmax<double>(raw / std::sqrt(d_model)));
}

TEST_CASE("002.cross_attention: queries from the decoder, keys and values from the encoder", "[seeds]") {
  Golden golden("002.cross_attention");
  const Buffer<double> x_dec = buffer_of(golden.input("x_dec"));
  const Buffer<double> x_enc = buffer_of(golden.input("x_enc"));
  RandomValues unused(0);
  SingleLayer<CrossAttention<double>> cross(unused, AttentionSettings{2, 1, 0});
  cross.weights.values().eigen().setZero();
  cross->projections.weight.in(cross.weights).eigen() << golden.input("Wq").transpose(),  // the example has x W,
      golden.input("Wk").transpose(), golden.input("Wv").transpose();                     // the project x W^T
  cross->out_proj.weight.in(cross.weights).eigen().setIdentity();  // the seed has no output projection

  const Buffer<double>& output = cross->forward({}, x_dec, x_enc, nothing_blocked(3));
  golden.check("attn", cross->attention.weights());
  golden.check("output", output);

  // The seed forgets to mask the source's padding here. When masked, padding gets no weight.
  const Mask padding = padding_mask(golden.ids("src_blocked"), 1);
  const Buffer<double>& output_masked = cross->forward({}, x_dec, x_enc, padding);
  golden.check("attn_masked", cross->attention.weights());
  golden.check("output_masked", output_masked);
}

TEST_CASE("002.right_shift: the decoder reads the target from bos on, and must predict it up to eos", "[seeds]") {
  Golden golden("002.right_shift");
  const std::vector<std::string> source = golden.words("src_tokens");
  const std::vector<std::string> target = golden.words("tgt_tokens");
  const Corpus corpus = corpus_of({{ids_of_words(source), ids_of_words(target)}});
  const Batch batch = make_batch(corpus, std::vector<Index>{0});
  CHECK(words_of_ids(batch.source, source) == source);
  golden.check("tgt_input", words_of_ids(batch.target_input, target));
  golden.check("tgt_output", words_of_ids(batch.target_output, target));
  golden.check("len_src", batch.source.cols());
  golden.check("len_tgt_input", batch.target_input.cols());
  golden.check("len_tgt_output", batch.target_output.cols());
  golden.check("src_mask", 1 - padding_mask(batch.source, 0).blocked.eigen().array());  // 1 = visible
}

TEST_CASE("002.right_shift_batch: shifting padded rows, and which positions count", "[seeds]") {
  Golden golden("002.right_shift_batch");
  const Matrix<Id> target = golden.input<Id>("tgt");  // bos, words, eos, padding
  const Id pad = static_cast<Id>(golden.integer("PAD"));
  const Corpus corpus = corpus_of({{{4}, {5, 6, 7}}, {{4}, {8}}});
  CHECK(SentencePairs(corpus).target_special.bos == golden.integer("BOS"));
  CHECK(SentencePairs(corpus).target_special.eos == golden.integer("EOS"));
  const Batch batch = make_batch(corpus, std::vector<Index>{0, 1});
  const auto counts = (batch.target_output.eigen().array() != pad).eval();
  golden.check("tgt_output", batch.target_output);
  golden.check("loss_weight", counts);

  // The example drops the last column, which leaves the eos of the shorter sentence in its input; make_batch puts
  // padding there. They differ only at a position that the loss ignores, and no position that counts can see it.
  const Matrix<Id> dropped = target.leftCols(4);
  const Matrix<Id> input = batch.target_input.eigen();
  golden.check("tgt_input", counts.select(input, dropped));
  CHECK(counts.select(0, (input - dropped).array()).matrix() == Matrix<Id>{{0, 0, 0, 0}, {0, 0, -2, 0}});

  const Matrix<double> logits = Matrix<double>::Zero(8, 9);  // [B * T, V]
  golden.check("ntokens", SeedLoss(logits, batch.target_output, {pad, 0}).sum.tokens);
}

TEST_CASE("002.cross_entropy_pad: the mean loss per token, without padding; label smoothing in two ways", "[seeds]") {
  Golden golden("002.cross_entropy_pad");
  const Matrix<double> logits = golden.input("logits");  // [N, V]
  const IdMatrix targets = golden.ids("targets");
  const Id pad = static_cast<Id>(golden.integer("pad"));
  const double smoothing = golden.number("eps");

  const SeedLoss plain(logits, targets, {pad, 0}, 0.5);  // 1 / tokens
  CHECK(plain.sum.tokens == 2);
  golden.check("loss_sum", plain.sum.loss);
  golden.check("loss_mean", plain.sum.loss / 2);
  golden.check("grad", plain.d_logits);
  for (Index n = 0; n < 2; ++n) {
    const double loss = SeedLoss(logits.row(n), IdMatrix{{targets(0, n)}}, {pad, 0}).sum.loss;
    golden.check("nll/" + std::to_string(n), loss);
  }
  // Wrong: padding counts like a word, in the sum and in its divisor.
  constexpr Id kNoPadding = -1;
  golden.check("wrong_mean_over_all_positions", SeedLoss(logits, targets, {kNoPadding, 0}).sum.loss / 3);

  // The project smooths as PyTorch and fairseq do: eps is spread over all V classes.
  const SeedLoss smooth(logits, targets, {pad, smoothing}, 0.5);
  golden.check("ls_fairseq_mean", smooth.sum.loss / 2);
  golden.check("ls_pytorch_mean", smooth.sum.loss / 2);
  golden.check("ls_fairseq_grad", smooth.d_logits);

  // The Annotated Transformer spreads eps over the V - 2 classes that are neither the right one nor padding. Its loss
  // is KL(q || p): cross-entropy minus the entropy of q, a constant that does not change the gradient.
  const double entropy = -(1 - smoothing) * std::log(1 - smoothing) - smoothing * std::log(smoothing / 3);
  double cross_entropy = 0;
  for (Index n = 0; n < 2; ++n) {
    const RowVector<double> log_p = logits.row(n).array() - std::log(logits.row(n).array().exp().sum());
    RowVector<double> q = RowVector<double>::Constant(5, smoothing / 3);
    q(pad) = 0;
    q(targets(0, n)) = 1 - smoothing;
    cross_entropy -= q.dot(log_p);
  }
  golden.check("ls_annotated_kl_sum", cross_entropy - 2 * entropy);
  golden.check("ls_annotated_ce_mean", cross_entropy / 2);
}

TEST_CASE("002.half_precision: a large negative number must fit in its type", "[seeds]") {
  Golden golden("002.half_precision");
  const double neg = golden.number("neg");
  const Mask blocked = mask_of(Table::Ones(1, 1));
  golden.check("float16", additive_mask<Eigen::half>(blocked, neg));
  golden.check("float32", additive_mask<float>(blocked, neg));
  golden.check("float64", additive_mask<double>(blocked, neg));
  golden.check("float16_min", static_cast<double>(Eigen::NumTraits<Eigen::half>::lowest()));
}

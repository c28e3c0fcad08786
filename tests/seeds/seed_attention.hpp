#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "glassformer/layers/cross_entropy.hpp"
#include "glassformer/layers/linear.hpp"
#include "glassformer/layers/scaled_dot_product_attention.hpp"
#include "glassformer/layers/softmax.hpp"
#include "glassformer/recording/recording.hpp"
#include "golden.hpp"
#include "single_layer.hpp"

/// Operations that several seeds share, built from the project's own layers.
namespace glassformer::seeds {

using Table = Matrix<std::uint8_t>;  ///< the entries of a mask: 1 = blocked

inline Mask nothing_blocked(Index keys) { return all_visible(1, 1, keys); }

/// A mask of one sentence, with a row for each query.
inline Mask mask_of(const Table& blocked) { return {1, blocked.rows(), buffer_of(blocked)}; }

/// Compares to six decimals, as many as the tests of mistakes give.
inline void check_close(const Matrix<double>& got, const Matrix<double>& expected) {
  CAPTURE(got, expected);
  CHECK(largest_difference(got, expected) < 1e-6);
}

/// How many keys each query sees. [1, T]
inline RowVector<Index> visible_keys(const Table& blocked) {
  return blocked.cols() - blocked.cast<Index>().rowwise().sum().transpose().array();
}

/// The queries that see no key.
inline RowVector<Index> blind_queries(const Table& blocked) {
  std::vector<Index> queries;
  for (Index t = 0; t < blocked.rows(); ++t) {
    if (blocked.row(t).minCoeff() == 1) {
      queries.push_back(t);
    }
  }
  return RowVector<Index>::Map(queries.data(), static_cast<Index>(queries.size()));
}

/// Weights for scores [N, S]. The N rows are the T queries of each head in turn. \pre the mask is for one sentence
template <class Scalar>
Matrix<Scalar> masked_softmax(const Matrix<Scalar>& scores, const Mask& mask) {
  Buffer<Scalar> weights = buffer_of(scores);
  MaskedSoftmax<Scalar>("softmax").forward_in_place({}, weights, mask);
  return weights.eigen();
}

/// The result of attention for one sentence. The weights' rows are the T queries of each head in turn.
template <class Scalar>
struct Attended {
  Matrix<Scalar> weights, context;  // [H * T, S], [T, D]
};

template <class Scalar>
Attended<Scalar> attend(const Matrix<Scalar>& q, const Matrix<Scalar>& k, const Matrix<Scalar>& v, const Mask& mask,
                        Index heads = 1) {
  RandomValues unused(0);
  SingleLayer<ScaledDotProductAttention<Scalar>, Scalar> attention(unused, AttentionSettings{q.cols(), heads, 0});
  const Buffer<Scalar> queries = buffer_of(q);
  const Buffer<Scalar> keys = buffer_of(k);
  const Buffer<Scalar> values = buffer_of(v);
  const Buffer<Scalar>& context = attention->forward({}, queries, keys, values, mask);
  return {attention->weights().eigen(), context.eigen()};
}

/// Cross-entropy and its gradient.
struct SeedLoss {
  LossSum sum;
  Matrix<double> d_logits;  // [N, V]

  SeedLoss(const Matrix<double>& logits, const IdMatrix& expected, const CrossEntropySettings& settings,
           double d_loss = 1) {
    CrossEntropy<double> cross_entropy("loss", settings);
    Buffer<double> in_place = buffer_of(logits);  // becomes p, then d_logits
    sum = cross_entropy.forward_in_place({}, in_place, expected);
    d_logits = cross_entropy.backward_in_place({}, d_loss).eigen();
  }
};

/// A training pass over sentence 0 in this update.
inline Pass training_update(std::uint64_t seed, std::uint32_t update) {
  static constexpr std::array<Index, 1> kSentence{0};
  return {.training = true, .seed = seed, .update = update, .sentences = kSentence};
}

/// The attention of seed 003: a linear map computes queries, keys and values side by side; scaled dot-product attention
/// with one head follows. The map's bias is 0, because the seeds have none.
///
/// N = rows of x (all sentences), T = words of a sentence, D = width of the queries.
struct SeedAttention {
  explicit SeedAttention(const Golden& golden, double dropout = 0)
      : D(golden.integer("d_k")),
        map(unused, golden.input("Wq").cols(), 3 * D),
        attention(unused, AttentionSettings{D, 1, dropout}) {
    map.weights.values().eigen().setZero();
    map->weight.in(map.weights).eigen() << golden.input("Wq"), golden.input("Wk"), golden.input("Wv");
  }

  Matrix<double> q() const { return qkv.leftCols(D); }       // [N, D]
  Matrix<double> k() const { return qkv.middleCols(D, D); }  // [N, D]
  Matrix<double> v() const { return qkv.rightCols(D); }      // [N, D]
  /// Not yet scaled. [T, T] \pre one sentence
  Matrix<double> scores() const { return q() * k().transpose(); }
  Matrix<double> scaled_scores() const { return scores() / std::sqrt(static_cast<double>(D)); }

  void forward(const Matrix<double>& input, const Mask& mask, const Pass& given_pass = {}) {
    x = buffer_of(input);
    recording = Recording();
    pass = given_pass;
    pass.recorder = &recording;
    const Buffer<double>& mapped = map->forward(pass, x);
    const MatrixView<const double> all = mapped;
    const Buffer<double>& result =
        attention->forward(pass, all.middle_cols(0, D), all.middle_cols(D, D), all.middle_cols(2 * D, D), mask);
    qkv = mapped.eigen();
    weights = attention->weights().eigen();
    context = result.eigen();
  }

  /// d_context [N, D]
  void backward(const Matrix<double>& d_context) {
    const Buffer<double> d = buffer_of(d_context);
    d_qkv.resize(x.rows(), 3 * D);
    const MatrixView<double> all = d_qkv;
    attention->backward(pass, d, all.middle_cols(0, D), all.middle_cols(D, D), all.middle_cols(2 * D, D));
    map.gradient.values().eigen().setZero();
    d_x = map->backward(pass, d_qkv).eigen();
    d_weight = map->weight.gradient().eigen();
  }

  /// The tensor of this name that was recorded last.
  Matrix<double> recorded(const std::string& name) const {
    for (auto step = recording.steps().rbegin(); step != recording.steps().rend(); ++step) {
      const RecordedTensor& output = recording.tensors()[step->output];
      if (output.name == name) {
        return output.values;
      }
    }
    throw std::invalid_argument("not recorded: " + name);
  }
  /// The weights that multiply the values. \pre dropout is active
  Matrix<double> dropped_weights() const { return recorded("y"); }

 private:
  RandomValues unused{0};

 public:
  Index D;
  SingleLayer<Linear<double>> map;
  SingleLayer<ScaledDotProductAttention<double>> attention;
  Buffer<double> x, d_qkv;               // [N, in], [N, 3D]
  Matrix<double> qkv, weights, context;  // [N, 3D], [N, T], [N, D]
  Matrix<double> d_weight, d_x;          // [3D, in]: Wq, Wk, Wv; [N, in]
  Pass pass;
  Recording recording;
};

}  // namespace glassformer::seeds

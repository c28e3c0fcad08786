#pragma once

#include <cmath>

#include "golden.hpp"
#include "layers/linear.hpp"
#include "layers/scaled_dot_product_attention.hpp"
#include "layers/softmax.hpp"
#include "random_values.hpp"

/// What several seeds do, by the project's own layers.
namespace glassformer::seeds {

using Table = Matrix<std::uint8_t>;  ///< what a mask holds: 1 = blocked

inline Mask nothing_blocked(Index keys) { return {1, 1, Table::Zero(1, keys)}; }

/// To six decimals, as the mistakes' numbers are written.
inline void check_close(const Matrix<double>& got, const Matrix<double>& expected) {
  CAPTURE(got, expected);
  CHECK(largest_difference(got, expected) < 1e-6);
}

/// How many keys each query sees. [1, T]
inline RowVector<Index> visible_keys(const Table& blocked) {
  return blocked.cols() - blocked.cast<Index>().rowwise().sum().transpose().array();
}

/// The queries that see no key at all.
inline RowVector<Index> blind_queries(const Table& blocked) {
  std::vector<Index> queries;
  for (Index t = 0; t < blocked.rows(); ++t) {
    if (blocked.row(t).minCoeff() == 1) queries.push_back(t);
  }
  return RowVector<Index>::Map(queries.data(), static_cast<Index>(queries.size()));
}

/// Weights of scores [N, S], where the N rows are the T queries of one head after another. \pre mask is of one sentence
template <class Scalar>
Matrix<Scalar> masked_softmax(Matrix<Scalar> scores, const Mask& mask) {
  for (Index n = 0; n < scores.rows(); ++n) {
    MaskedSoftmax<Scalar>::forward_row(mask.blocked.row(n % mask.queries).data(), scores.cols(), scores.row(n).data());
  }
  return scores;
}

/// The attention of seed 003: a linear map to queries, keys and values, which lie side by side, then scaled
/// dot-product attention of one head. The map's bias is 0, for the seeds have none.
///
/// N = rows of x (all sentences), T = words of a sentence, D = width of the queries.
struct SeedAttention {
  explicit SeedAttention(const Golden& golden)
      : D(golden.integer("d_k")),
        map(std::string("qkv"), golden.input("Wq").cols(), 3 * D),
        gradient(std::string("qkv"), golden.input("Wq").cols(), 3 * D) {
    map.parameters().weight << golden.input("Wq"), golden.input("Wk"), golden.input("Wv");
  }

  auto q() const { return qkv.leftCols(D); }       // [N, D]
  auto k() const { return qkv.middleCols(D, D); }  // [N, D]
  auto v() const { return qkv.rightCols(D); }      // [N, D]
  /// Not yet scaled. [T, T] \pre one sentence
  Matrix<double> scores() const { return q() * k().transpose(); }
  Matrix<double> scaled_scores() const { return scores() / std::sqrt(static_cast<double>(D)); }

  void forward(const Matrix<double>& x, const Mask& mask, Index sentences_ = 1, double dropout = 0,
               const Pass& pass = {}) {
    sentences = sentences_;
    Linear<double>::forward(map.parameters(), x, qkv);
    context.resize(x.rows(), D);
    ScaledDotProductAttention<double>::forward(sentences, 1, q(), k(), v(), mask, dropout, pass, 0, cache, context);
  }

  /// Once more from the weights on, with dropout whose draw is given: `keep` is 1 where a weight stays.
  void drop(const Matrix<double>& keep, double rate) {
    cache.dropout.active = true;
    cache.dropout.scale = 1 / (1 - rate);
    cache.dropout.kept.resize_like(keep);
    cache.dropout.kept = keep.cast<std::uint8_t>();
    cache.dropped_weights.resize_like(keep);
    cache.dropped_weights.view() = cache.weights;
    Dropout<double>::backward(cache.dropout, cache.dropped_weights);  // as forward: multiplies by the scale
    context = cache.dropped_weights * v();
  }

  /// d_context [N, D]
  void backward(const Matrix<double>& x, const Matrix<double>& d_context) {
    d_qkv.resize_like(qkv);
    ScaledDotProductAttention<double>::backward(sentences, 1, q(), k(), v(), cache, d_context, d_qkv.leftCols(D),
                                                d_qkv.middleCols(D, D), d_qkv.rightCols(D));
    gradient.values().setZero();
    Linear<double>::backward(map.parameters(), x, d_qkv, gradient.parameters(), d_x);
  }

  Index D, sentences = 1;
  Arena<InArena<Linear<double>::Parameters, double>> map, gradient;  // weight [3D, in]: Wq, Wk, Wv
  Buffer<double> qkv, context;                                       // [N, 3D], [N, D]
  ScaledDotProductAttention<double>::Cache cache;
  Buffer<double> d_qkv, d_x;  // [N, 3D], [N, in]
};

}  // namespace glassformer::seeds

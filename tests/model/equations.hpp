#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "activation_formulas.hpp"
#include "model/recorded_run.hpp"

/// Recomputes every recorded equation from its inputs alone, in plain code that uses no layer from src/. NumPy and
/// PyTorch check the results of the layers; only this checks that each equation says what its numbers are.
namespace glassformer::example {

using Numbers = Matrix<double>;

/// The inputs of one step, and whatever else its equation refers to.
struct Known {
  const TransformerSettings& settings;
  const PaddedBatch& batch;
  std::string part;
  std::vector<Numbers> in;
  Numbers before;  ///< the output before a +=; zeros if there was none

  Index B() const { return batch.source.rows(); }
  Index H() const { return settings.heads; }
  double d_head() const { return static_cast<double>(settings.d_model) / static_cast<double>(settings.heads); }
  bool of_encoder() const { return part.starts_with("encoder"); }
  bool is_padding(Index n) const {  // whether padding is expected at row n
    return batch.target_output(n / batch.target_output.cols(), n % batch.target_output.cols()) == kTargetPad;
  }
  double dropout_rate() const {
    if (part.ends_with("attn.dropout")) {
      return settings.attention_dropout;
    }
    if (part.ends_with("feed_forward.dropout")) {
      return settings.activation_dropout;
    }
    return part.ends_with("embed_tokens.dropout") ? settings.embedding_dropout : settings.dropout;
  }
};
using Law = std::function<Numbers(const Known&)>;

inline Numbers each(const Numbers& x, const auto& function) { return x.unaryExpr(function); }
inline Numbers times(const Numbers& a, const Numbers& b) { return a.cwiseProduct(b); }
inline Numbers mean(const Numbers& x) { return x.rowwise().mean(); }  // of each row
inline Numbers sum_of_rows(const Numbers& x) { return x.colwise().sum(); }
inline Numbers columns_times(const Numbers& x, const Numbers& column) { return column.col(0).asDiagonal() * x; }
inline Numbers rows_times(const Numbers& x, const Numbers& row) { return x * row.row(0).asDiagonal(); }

/// The part of a matrix that belongs to one head of one sentence: of tokens [B*T, D], or of weights [B*H*T, S].
inline auto head_of_tokens(auto& x, const Known& k, Index b, Index h) {
  const Index T = x.rows() / k.B();
  const Index width = x.cols() / k.H();
  return x.block(b * T, h * width, T, width);
}
inline auto head_of_weights(auto& x, const Known& k, Index b, Index h) {
  const Index T = x.rows() / (k.B() * k.H());
  return x.middleRows((b * k.H() + h) * T, T);
}

/// a b^T for each head: weights from tokens.
inline Numbers weights_of_heads(const Known& k, const Numbers& a, const Numbers& b_side) {
  Numbers weights(a.rows() * k.H(), b_side.rows() / k.B());
  for (Index b = 0; b < k.B(); ++b) {
    for (Index h = 0; h < k.H(); ++h) {
      head_of_weights(weights, k, b, h) = head_of_tokens(a, k, b, h) * head_of_tokens(b_side, k, b, h).transpose();
    }
  }
  return weights;
}

/// w x, or w^T x, for each head: tokens from weights and tokens.
inline Numbers tokens_of_heads(const Known& k, const Numbers& w, const Numbers& x, bool transposed) {
  Numbers tokens(transposed ? k.B() * w.cols() : w.rows() / k.H(), x.cols());
  for (Index b = 0; b < k.B(); ++b) {
    for (Index h = 0; h < k.H(); ++h) {
      const Numbers weights = head_of_weights(w, k, b, h);
      const Numbers used = transposed ? Numbers(weights.transpose()) : weights;
      head_of_tokens(tokens, k, b, h) = used * head_of_tokens(x, k, b, h);
    }
  }
  return tokens;
}

/// The softmax over the keys that the mask, [B, S] or [B*T, S], leaves visible.
inline Numbers masked_softmax(const Known& k, const Numbers& scores, const Numbers& mask) {
  const Index T = scores.rows() / (k.B() * k.H());
  Numbers weights = Numbers::Zero(scores.rows(), scores.cols());
  for (Index row = 0; row < scores.rows(); ++row) {
    const Index b = row / (k.H() * T);
    const Index t = row % T;
    const auto blocked = mask.row(mask.rows() == k.B() ? b : b * T + t);
    double sum = 0;
    for (Index s = 0; s < scores.cols(); ++s) {
      sum += blocked(s) != 0 ? 0 : std::exp(scores(row, s));
    }
    for (Index s = 0; s < scores.cols(); ++s) {
      if (blocked(s) == 0) {
        weights(row, s) = std::exp(scores(row, s)) / sum;
      }
    }
  }
  return weights;
}

/// The target distribution of row n, with label smoothing. [1, V]
inline Numbers target_distribution(const Numbers& expected, Index n, Index V) {
  Numbers q = Numbers::Constant(1, V, kSmoothing / static_cast<double>(V));
  q(0, static_cast<Index>(expected(n / expected.cols(), n % expected.cols()))) += 1 - kSmoothing;
  return q;
}

/// Computes a matrix row by row; 0 where padding is expected.
inline Numbers row_by_row(const Known& k, Index cols, const std::function<Numbers(Index n)>& row) {
  Numbers rows = Numbers::Zero(k.in[0].rows(), cols);
  for (Index n = 0; n < rows.rows(); ++n) {
    if (!k.is_padding(n)) {
      rows.row(n) = row(n);
    }
  }
  return rows;
}

/// Calls action(n, id) for each token n that is not padding. The token's embedding is row `id`.
inline void for_each_token(const Known& k, const Numbers& ids, const std::function<void(Index n, Index id)>& action) {
  for (Index n = 0; n < ids.size(); ++n) {
    const auto id = static_cast<Index>(ids(n / ids.cols(), n % ids.cols()));
    if (id != (k.of_encoder() ? kSourcePad : kTargetPad)) {
      action(n, id);
    }
  }
}

}  // namespace glassformer::example

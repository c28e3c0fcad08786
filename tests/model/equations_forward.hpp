#pragma once

#include "model/equations.hpp"

namespace glassformer::example {

/// The equations of the forward pass, as recorded.
inline std::map<std::string, Law> forward_laws() {
  return {
      {"embedded = {scale} * {table}[{id}] + {position}[t], 0 at padding",
       [](const Known& k) {
         const Numbers& table = k.in[1];
         const Numbers& ids = k.in[2];
         const Numbers& position = k.in[3];
         const double scale = k.settings.scale_embeddings ? std::sqrt(static_cast<double>(table.cols())) : 1;
         Numbers x = Numbers::Zero(ids.size(), table.cols());
         for_each_token(k, ids,
                        [&](Index n, Index id) { x.row(n) = scale * table.row(id) + position.row(n % ids.cols()); });
         return x;
       }},
      {"y = {x} * {kept} / (1 - rate)",
       [](const Known& k) { return Numbers(times(k.in[0], k.in[1]) / (1 - k.dropout_rate())); }},
      {"y = {x} {weight}^T + {bias}",
       [](const Known& k) {
         return Numbers((k.in[0] * k.in[1].transpose()).rowwise() + Eigen::RowVectorXd(k.in[2].row(0)));
       }},
      {"q = the first third of {query_key_value}",
       [](const Known& k) { return Numbers(k.in[0].leftCols(k.in[0].cols() / 3)); }},
      {"k = the second third of {query_key_value}",
       [](const Known& k) { return Numbers(k.in[0].middleCols(k.in[0].cols() / 3, k.in[0].cols() / 3)); }},
      {"v = the last third of {query_key_value}",
       [](const Known& k) { return Numbers(k.in[0].rightCols(k.in[0].cols() / 3)); }},
      {"k = the left half of {key_value}",
       [](const Known& k) { return Numbers(k.in[0].leftCols(k.in[0].cols() / 2)); }},
      {"v = the right half of {key_value}",
       [](const Known& k) { return Numbers(k.in[0].rightCols(k.in[0].cols() / 2)); }},
      {"products = {q} {k}^T of each head", [](const Known& k) { return weights_of_heads(k, k.in[0], k.in[1]); }},
      {"scores = {products} / sqrt(d_head)", [](const Known& k) { return Numbers(k.in[0] / std::sqrt(k.d_head())); }},
      {"weights = softmax of each row of {scores}, 0 where {mask} is 1",
       [](const Known& k) { return masked_softmax(k, k.in[0], k.in[1]); }},
      {"context = {weights} {v} of each head",
       [](const Known& k) { return tokens_of_heads(k, k.in[0], k.in[1], false); }},
      {"sum = {x} + {sublayer}", [](const Known& k) { return Numbers(k.in[0] + k.in[1]); }},
      {"inv_std = 1 / sqrt(var({x}) + epsilon)",
       [](const Known& k) {
         const Numbers centred = k.in[0].colwise() - mean(k.in[0]).col(0);
         return each(mean(times(centred, centred)), [](double variance) { return 1 / std::sqrt(variance + 1e-5); });
       }},
      {"x_hat = ({x} - mean(x)) * {inv_std}",
       [](const Known& k) { return columns_times(k.in[0].colwise() - mean(k.in[0]).col(0), k.in[1]); }},
      {"y = {gain} * {x_hat} + {bias}",
       [](const Known& k) {
         return Numbers(rows_times(k.in[1], k.in[0]).rowwise() + Eigen::RowVectorXd(k.in[2].row(0)));
       }},
      {"activated = activation({expanded})",
       [](const Known& k) { return each(k.in[0], formula_of(k.settings.activation).value); }},
      {"p = softmax of each row of {logits}",
       [](const Known& k) {
         const Numbers powers = k.in[0].array().exp();
         return Numbers(powers.array().colwise() / powers.rowwise().sum().array());
       }},
      {"losses = - sum over v of q_v log {p}_v, q from {expected}; 0 at padding",
       [](const Known& k) {
         return row_by_row(k, 1, [&](Index n) {
           const Numbers log_p = k.in[0].row(n).array().log();
           const Numbers q = target_distribution(k.in[1], n, log_p.cols());
           return Numbers::Constant(1, 1, -times(q, log_p).sum());
         });
       }},
  };
}

}  // namespace glassformer::example

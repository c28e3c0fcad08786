#pragma once

#include "model/equations.hpp"

namespace glassformer::example {

/// The equations of the backward pass, as recorded.
inline std::map<std::string, Law> backward_laws() {
  return {
      {"d_logits = ({p} - q) * {d_loss}, q from {expected}; 0 at padding",
       [](const Known& k) {
         return row_by_row(k, k.in[0].cols(), [&](Index n) {
           const Numbers p = k.in[0].row(n);
           return Numbers(k.in[1](0, 0) * (p - target_distribution(k.in[2], n, p.cols())));
         });
       }},
      {"d_bias += sum over n of {d_y}[n]", [](const Known& k) { return Numbers(k.before + sum_of_rows(k.in[0])); }},
      {"d_weight += {d_y}^T {x}", [](const Known& k) { return Numbers(k.before + k.in[0].transpose() * k.in[1]); }},
      {"d_x = {d_y} {weight}", [](const Known& k) { return Numbers(k.in[0] * k.in[1]); }},
      {"d_gain += sum over n of {d_y}[n] * {x_hat}[n]",
       [](const Known& k) { return Numbers(k.before + sum_of_rows(times(k.in[0], k.in[1]))); }},
      {"d_x = {inv_std} * (d_xhat - mean(d_xhat) - {x_hat} * mean(d_xhat * x_hat)), where d_xhat = {d_y} * {gain}",
       [](const Known& k) {
         const Numbers& inv_std = k.in[0];
         const Numbers& x_hat = k.in[1];
         const Numbers d_xhat = rows_times(k.in[2], k.in[3]);
         const Numbers centred = d_xhat.colwise() - mean(d_xhat).col(0);
         return columns_times(centred - columns_times(x_hat, mean(times(d_xhat, x_hat))), inv_std);
       }},
      {"d_x = {d_y} * {kept} / (1 - rate)",
       [](const Known& k) { return Numbers(times(k.in[0], k.in[1]) / (1 - k.dropout_rate())); }},
      {"d_expanded = {d_activated} * activation'({expanded})",
       [](const Known& k) { return times(k.in[0], each(k.in[1], formula_of(k.settings.activation).slope)); }},
      {"d_v = {weights}^T {d_context} of each head",
       [](const Known& k) { return tokens_of_heads(k, k.in[0], k.in[1], true); }},
      {"d_weights = {d_context} {v}^T of each head",
       [](const Known& k) { return weights_of_heads(k, k.in[0], k.in[1]); }},
      {"d_scores = {weights} * ({d_weights} - sum of weights * d_weights over the row)",
       [](const Known& k) {
         const Numbers of_row = times(k.in[0], k.in[1]).rowwise().sum();
         return times(k.in[0], k.in[1].colwise() - of_row.col(0));
       }},
      {"d_products = {d_scores} / sqrt(d_head)",
       [](const Known& k) { return Numbers(k.in[0] / std::sqrt(k.d_head())); }},
      {"d_q = {d_products} {k} of each head",
       [](const Known& k) { return tokens_of_heads(k, k.in[0], k.in[1], false); }},
      {"d_k = {d_products}^T {q} of each head",
       [](const Known& k) { return tokens_of_heads(k, k.in[0], k.in[1], true); }},
      {"d_query_key_value = {d_q}, {d_k} and {d_v} side by side",
       [](const Known& k) {
         const Index D = k.in[0].cols();
         Numbers all(k.in[0].rows(), 3 * D);
         for (Index i = 0; i < 3; ++i) {
           all.middleCols(i * D, D) = k.in[static_cast<std::size_t>(i)];
         }
         return all;
       }},
      {"d_key_value = {d_k} and {d_v} side by side",
       [](const Known& k) {
         Numbers both(k.in[0].rows(), 2 * k.in[0].cols());
         both << k.in[0], k.in[1];
         return both;
       }},
      {"d_x = {d_sum} + {d_x_via_sublayer}", [](const Known& k) { return Numbers(k.in[0] + k.in[1]); }},
      {"d_memory += {d_memory of this layer}", [](const Known& k) { return Numbers(k.before + k.in[0]); }},
      {"d_table += {scale} * {d_embedded}[n] in row {id}[n], for every token n but padding",
       [](const Known& k) {
         Numbers table = k.before;
         for_each_token(k, k.in[2], [&](Index n, Index id) { table.row(id) += k.in[0](0, 0) * k.in[1].row(n); });
         return table;
       }},
  };
}

}  // namespace glassformer::example

#include "run/model_cost.hpp"

namespace glassformer {

Index parameter_count(const TransformerSettings& settings, const VocabularyShape& vocabulary) {
  const Index D = settings.d_model, F = settings.d_ff, V = vocabulary.target_size;
  const Index norm = 2 * D, attention = 4 * (D * D + D), feed_forward = D * F + F + F * D + D;
  const Index encoder_layer = attention + feed_forward + 2 * norm;
  const Index decoder_layer = 2 * attention + feed_forward + 3 * norm;
  Index embeddings = V * D;
  if (settings.tied_embeddings != Tying::all) embeddings += vocabulary.source_size * D;
  if (settings.tied_embeddings == Tying::none) embeddings += V * D;
  const Index final_norms = settings.norm == Norm::pre ? 2 * norm : 0;
  return embeddings + V + settings.encoder_layers * encoder_layer + settings.decoder_layers * decoder_layer +
         final_norms;
}

Index activation_count(const TransformerSettings& settings, const VocabularyShape& vocabulary, const BatchShape& batch,
                       bool training) {
  const Index D = settings.d_model, F = settings.d_ff, H = settings.heads;
  const Index S = batch.longest_source, T = batch.longest_target;
  // Numbers for each token in one part of a layer: what forward keeps and, in training, what backward needs.
  const Index join = training ? 6 * D : 3 * D;             // sum, x_hat, output; their gradients
  const Index self_attention = training ? 10 * D : 5 * D;  // query, key, value, context, output
  const Index cross_attention = training ? 6 * D : 3 * D;  // query, context, output
  const Index key_value = training ? 5 * D : 2 * D;        // key and value of the encoder's result
  const Index feed_forward = training ? 3 * F + 2 * D : 2 * F + D;
  const Index weights = H * (training ? (settings.attention_dropout > 0 ? 3 : 2) : 1);  // of each query and key

  const Index encoder_token = self_attention + feed_forward + 2 * join + weights * S;
  const Index decoder_token = self_attention + cross_attention + feed_forward + 3 * join + weights * (T + S);
  const Index embedded = training ? 3 * D : D;
  return batch.source * (settings.encoder_layers * encoder_token + settings.decoder_layers * key_value + embedded) +
         batch.target * (settings.decoder_layers * decoder_token + embedded + vocabulary.target_size);
}

double training_flops(const TransformerSettings& settings, const VocabularyShape& vocabulary, Index source_tokens,
                      Index target_tokens) {
  const auto D = static_cast<double>(settings.d_model), F = static_cast<double>(settings.d_ff);
  const auto V = static_cast<double>(vocabulary.target_size);
  const auto encoder = static_cast<double>(settings.encoder_layers);
  const auto decoder = static_cast<double>(settings.decoder_layers);
  const auto s = static_cast<double>(source_tokens), t = static_cast<double>(target_tokens);

  const double source_weights = encoder * (4 * D * D + 2 * D * F) + decoder * 2 * D * D;
  const double target_weights = decoder * (6 * D * D + 2 * D * F) + D * V;
  const double visible_pairs = encoder * s * s + decoder * (t * (t + 1) / 2 + t * s);
  return 6 * (s * source_weights + t * target_weights) + 12 * D * visible_pairs;
}

}  // namespace glassformer

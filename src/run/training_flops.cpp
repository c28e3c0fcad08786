#include "run/training_flops.hpp"

namespace glassformer {

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

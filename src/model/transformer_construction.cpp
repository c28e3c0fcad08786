#include <cassert>
#include <string>

#include "glassformer/model/transformer.hpp"

/// How a transformer is put together: the names, shapes and order of its tensors, and its dropout sites.
namespace glassformer {
namespace {

// The first dropout sites of the encoder and decoder layers; the embeddings use 0 and 1. The gap keeps the decoder's
// sites, and so its random numbers, the same for any number of encoder layers.
constexpr Site kEncoderSites = 1000, kDecoderSites = 1'000'000;

/// Parts of the encoder and of the decoder. In both, M is the number of the encoder's rows, which cross-attention
/// reads.
template <class Scalar>
Part<Scalar> encoder_part(Construction<Scalar>& construction, const std::string& name) {
  const Letters letters{{"N", "B*S"}, {"M", "B*S"}, {"T", "S"}, {"in", "D"}, {"out", "D"}};
  return {construction, name, "model." + name + ".", {.reads_source = true, .letters = letters}};
}
template <class Scalar>
Part<Scalar> decoder_part(Construction<Scalar>& construction, const std::string& name) {
  const Letters letters{{"N", "B*T"}, {"M", "B*S"}, {"in", "D"}, {"out", "D"}};
  return {construction, name, "model." + name + ".", {.letters = letters}};
}

template <class Scalar>
MatrixParameter<Scalar> source_table(Construction<Scalar>& construction, const TransformerSettings& settings,
                                     const VocabularyShape& vocabulary) {
  const bool is_shared = settings.tied_embeddings == Tying::all;
  assert(!is_shared || vocabulary.source_size == vocabulary.target_size);
  return construction.cursor.matrix(is_shared ? "model.shared.weight" : "model.encoder.embed_tokens.weight",
                                    vocabulary.source_size, settings.d_model, Role::source_embedding);
}

template <class Scalar>
MatrixParameter<Scalar> target_table(Construction<Scalar>& construction, const TransformerSettings& settings,
                                     const VocabularyShape& vocabulary, const MatrixParameter<Scalar>& source) {
  if (settings.tied_embeddings == Tying::all) {
    return source;
  }
  return construction.cursor.matrix("model.decoder.embed_tokens.weight", vocabulary.target_size, settings.d_model,
                                    Role::target_embedding);
}

template <class Scalar>
Linear<Scalar> output_map(Construction<Scalar>& construction, const TransformerSettings& settings,
                          const VocabularyShape& vocabulary, const MatrixParameter<Scalar>& target) {
  const Index V = vocabulary.target_size;
  const MatrixParameter<Scalar> weight =
      settings.tied_embeddings == Tying::none
          ? construction.cursor.matrix("lm_head.weight", V, settings.d_model, Role::output)
          : target;
  // Only the name is needed here, but constructing the part also registers it and its letters.
  return {decoder_part(construction, "decoder.output").with({{"out", "V"}}).name(), weight,
          construction.cursor.vector("final_logits_bias", V, Role::output_bias)};
}

template <class Layer, class Scalar>
std::vector<Layer> make_layers(const Part<Scalar>& part, Site first_site, Index count,
                               const TransformerSettings& settings) {
  part.start_sites(first_site);
  std::vector<Layer> layers;
  for (Index i = 0; i < count; ++i) {
    layers.emplace_back(part.layer(i), settings);
  }
  return layers;
}

template <class Scalar>
std::optional<NormLayer<Scalar>> final_norm(const Part<Scalar>& part, const TransformerSettings& settings) {
  if (settings.norm == Norm::post) {
    return std::nullopt;
  }
  return norm_layer(part.at("layer_norm"), settings.add_and_norm());
}

}  // namespace

template <std::floating_point Scalar>
Transformer<Scalar>::Transformer(const TransformerSettings& shape, const VocabularyShape& vocabulary_shape,
                                 double label_smoothing)
    : construction_{ParameterCursor<Scalar>(bound_)},
      settings(shape),
      vocabulary(vocabulary_shape),
      source_embedding(encoder_part(construction_, "encoder.embed_tokens"),
                       source_table(construction_, settings, vocabulary),
                       settings.embedding(vocabulary.special.source.pad)),
      target_embedding(decoder_part(construction_, "decoder.embed_tokens"),
                       target_table(construction_, settings, vocabulary, source_embedding.table),
                       settings.embedding(vocabulary.special.target.pad)),
      output(output_map(construction_, settings, vocabulary, target_embedding.table)),
      encoder_layers(make_layers<EncoderLayer<Scalar>>(encoder_part(construction_, "encoder"), kEncoderSites,
                                                       settings.encoder_layers, settings)),
      decoder_layers(make_layers<DecoderLayer<Scalar>>(decoder_part(construction_, "decoder"), kDecoderSites,
                                                       settings.decoder_layers, settings)),
      encoder_norm(final_norm(encoder_part(construction_, "encoder"), settings)),
      decoder_norm(final_norm(decoder_part(construction_, "decoder"), settings)),
      cross_entropy(decoder_part(construction_, "loss").name(), {vocabulary.special.target.pad, label_smoothing}) {}

template Transformer<float>::Transformer(const TransformerSettings&, const VocabularyShape&, double);
template Transformer<double>::Transformer(const TransformerSettings&, const VocabularyShape&, double);

}  // namespace glassformer

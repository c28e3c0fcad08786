#include "model/transformer.hpp"

#include <cassert>
#include <string>

#include "numerics/row_operations.hpp"

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
std::optional<LayerNorm<Scalar>> final_norm(const Part<Scalar>& part, const TransformerSettings& settings) {
  if (settings.norm == Norm::post) {
    return std::nullopt;
  }
  return LayerNorm<Scalar>(part.at("layer_norm"), settings.d_model);
}

}  // namespace

template <std::floating_point Scalar>
Transformer<Scalar>::Transformer(const TransformerSettings& settings_, const VocabularyShape& vocabulary_,
                                 double label_smoothing)
    : construction_(bound_),
      settings(settings_),
      vocabulary(vocabulary_),
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

template <std::floating_point Scalar>
const Buffer<Scalar>& Transformer<Scalar>::encode(const Pass& pass, const IdMatrix& source, const Mask& padding) {
  const Buffer<Scalar>* x = &source_embedding.forward(pass, source);  // [M, D]
  for (EncoderLayer<Scalar>& layer : encoder_layers) {
    x = &layer.forward(pass, *x, padding);  // [M, D]
  }
  return encoder_norm ? encoder_norm->forward(pass, *x) : *x;
}

template <std::floating_point Scalar>
Buffer<Scalar>& Transformer<Scalar>::decode(const Pass& pass, const IdMatrix& target_input,
                                            const Buffer<Scalar>& memory, const TransformerMasks& masks) {
  memory_ = &memory;
  const Buffer<Scalar>* x = &target_embedding.forward(pass, target_input);  // [N, D]
  for (DecoderLayer<Scalar>& layer : decoder_layers) {
    x = &layer.forward(pass, *x, memory, masks);  // [N, D]
  }
  return logits(pass, *x);  // [N, V]
}

template <std::floating_point Scalar>
Buffer<Scalar>& Transformer<Scalar>::logits(const Pass& pass, const Buffer<Scalar>& y) {
  return output.forward(pass, decoder_norm ? decoder_norm->forward(pass, y) : y);
}

template <std::floating_point Scalar>
Losses<Scalar> Transformer<Scalar>::forward(const Pass& pass, const ModelInput& input) {
  const Buffer<Scalar>& memory = encode(pass, input.source, input.masks.encoder_padding);
  Buffer<Scalar>& logits_of_target = decode(pass, input.target_input, memory, input.masks);
  return cross_entropy.forward_in_place(pass, logits_of_target, input.target_output);
}

template <std::floating_point Scalar>
void Transformer<Scalar>::backward(const Pass& pass, Scalar d_loss) {
  // loss = cross-entropy(logits)
  backward_decoder(pass, cross_entropy.backward_in_place(pass, d_loss));
  backward_encoder(pass);
}

template <std::floating_point Scalar>
void Transformer<Scalar>::backward_decoder(const Pass& pass, const Buffer<Scalar>& d_logits) {
  // logits = state E^T + b
  const Buffer<Scalar>* d_x = &output.backward(pass, d_logits);  // [N, D]
  if (decoder_norm) {
    d_x = &decoder_norm->backward(pass, *d_x);
  }
  // All decoder layers attend to the memory, so their gradients with respect to it add up.
  d_memory_.resize_like(*memory_);
  d_memory_.fill(0);
  for (auto layer = decoder_layers.rbegin(); layer != decoder_layers.rend(); ++layer) {
    const auto [d_input, d_memory] = layer->backward(pass, *d_x);  // [N, D] and [M, D]
    d_x = &d_input;
    add(d_memory, d_memory_.view());
    pass.record("decoder", "d_memory [M, D] += {d_memory of this layer}", d_memory_, d_memory);
  }
  target_embedding.backward(pass, *d_x);  // if tied, adds to the gradient from output.backward
}

template <std::floating_point Scalar>
void Transformer<Scalar>::backward_encoder(const Pass& pass) {
  const Buffer<Scalar>* d_x = &d_memory_;  // [M, D]
  if (encoder_norm) {
    d_x = &encoder_norm->backward(pass, *d_x);
  }
  for (auto layer = encoder_layers.rbegin(); layer != encoder_layers.rend(); ++layer) {
    d_x = &layer->backward(pass, *d_x);
  }
  source_embedding.backward(pass, *d_x);
}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace glassformer

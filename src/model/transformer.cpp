#include "model/transformer.hpp"

#include <cassert>
#include <string>

namespace glassformer {
namespace {

template <class Scalar>
MatrixView<Scalar> take_source_embedding(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings,
                                         const VocabularyShape& vocabulary) {
  const bool shared = settings.tied_embeddings == Tying::all;
  assert(!shared || vocabulary.source_size == vocabulary.target_size);
  return cursor.matrix(shared ? "model.shared.weight" : "model.encoder.embed_tokens.weight", vocabulary.source_size,
                       settings.d_model);
}

template <class Scalar>
MatrixView<Scalar> take_target_embedding(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings,
                                         const VocabularyShape& vocabulary, const MatrixView<Scalar>& source) {
  if (settings.tied_embeddings == Tying::all) return source;
  return cursor.matrix("model.decoder.embed_tokens.weight", vocabulary.target_size, settings.d_model);
}

template <class Scalar>
typename Linear<Scalar>::Parameters take_output(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings,
                                                const VocabularyShape& vocabulary, const MatrixView<Scalar>& target) {
  const bool own = settings.tied_embeddings == Tying::none;
  const MatrixView<Scalar> weight =
      own ? cursor.matrix("lm_head.weight", vocabulary.target_size, settings.d_model) : target;
  return {weight, cursor.vector("final_logits_bias", vocabulary.target_size)};
}

/// The layers' parameters lie one after the other: "model.encoder.layers.0.", "model.encoder.layers.1.", ...
template <class LayerParameters, class Scalar>
std::vector<LayerParameters> take_layers(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings,
                                         const std::string& name, Index count) {
  std::vector<LayerParameters> layers;
  for (Index i = 0; i < count; ++i) {
    const typename ArenaCursor<Scalar>::Scope scope(cursor, name + std::to_string(i) + ".");
    layers.emplace_back(cursor, settings);
  }
  return layers;
}

template <class Scalar>
std::optional<typename LayerNorm<Scalar>::Parameters> take_final_norm(ArenaCursor<Scalar>& cursor,
                                                                      const TransformerSettings& settings,
                                                                      const std::string& name) {
  if (settings.norm == Norm::post) return std::nullopt;
  return typename LayerNorm<Scalar>::Parameters(cursor, name, settings.d_model);
}

}  // namespace

template <std::floating_point Scalar>
Transformer<Scalar>::Parameters::Parameters(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings,
                                            const VocabularyShape& vocabulary)
    : source_embedding(take_source_embedding(cursor, settings, vocabulary)),
      target_embedding(take_target_embedding(cursor, settings, vocabulary, source_embedding)),
      output(take_output(cursor, settings, vocabulary, target_embedding)),
      encoder(take_layers<typename EncoderLayer<Scalar>::Parameters>(cursor, settings, "model.encoder.layers.",
                                                                     settings.encoder_layers)),
      decoder(take_layers<typename DecoderLayer<Scalar>::Parameters>(cursor, settings, "model.decoder.layers.",
                                                                     settings.decoder_layers)),
      encoder_norm(take_final_norm(cursor, settings, "model.encoder.layer_norm")),
      decoder_norm(take_final_norm(cursor, settings, "model.decoder.layer_norm")) {}

template <std::floating_point Scalar>
const Buffer<Scalar>& Transformer<Scalar>::memory(const Cache& cache) const {
  if (settings.norm == Norm::pre) return cache.normed_memory;
  return cache.encoder.empty() ? cache.source_embedding.output : cache.encoder.back().output();
}

template <std::floating_point Scalar>
const Buffer<Scalar>& Transformer<Scalar>::state(const Cache& cache) const {
  if (settings.norm == Norm::pre) return cache.normed_state;
  return cache.decoder.empty() ? cache.target_embedding.output : cache.decoder.back().output();
}

template <std::floating_point Scalar>
const Buffer<Scalar>& Transformer<Scalar>::encode(const Parameters& p, const IdMatrix& source, const Mask& padding,
                                                  const Pass& pass, Cache& cache, const Recorder& recorder) const {
  constexpr Site kEmbeddingSite = 0;
  constexpr Site kFirstLayerSite = 1000;
  cache.encoder.resize(p.encoder.size());
  Embedding<Scalar>::forward(p.source_embedding, source, vocabulary.source_pad, settings.scale_embeddings,
                             settings.embedding_dropout, pass, kEmbeddingSite, cache.source_embedding,
                             recorder.at("embed_tokens"));                                          // [M, D]
  const Buffer<Scalar>* x = &cache.source_embedding.output;
  for (std::size_t i = 0; i < p.encoder.size(); ++i) {
    EncoderLayer<Scalar>::forward(p.encoder[i], settings, *x, padding, source.rows(), pass,
                                  kFirstLayerSite + static_cast<Site>(i) * EncoderLayer<Scalar>::kSites,
                                  cache.encoder[i], recorder.at("layers", static_cast<Index>(i)));
    x = &cache.encoder[i].output();                                                                 // [M, D]
  }
  if (p.encoder_norm) {
    LayerNorm<Scalar>::forward(*p.encoder_norm, *x, cache.encoder_norm, cache.normed_memory,
                               recorder.at("layer_norm"));
  }
  return memory(cache);
}

template <std::floating_point Scalar>
const Buffer<Scalar>& Transformer<Scalar>::decode(const Parameters& p, const IdMatrix& target_input,
                                                  const Buffer<Scalar>& memory, const TransformerMasks& masks,
                                                  const Pass& pass, Cache& cache, const Recorder& recorder) const {
  constexpr Site kEmbeddingSite = 1;
  constexpr Site kFirstLayerSite = 1'000'000;
  cache.decoder.resize(p.decoder.size());
  Embedding<Scalar>::forward(p.target_embedding, target_input, vocabulary.target_pad, settings.scale_embeddings,
                             settings.embedding_dropout, pass, kEmbeddingSite, cache.target_embedding,
                             recorder.at("embed_tokens"));                                          // [N, D]
  const Buffer<Scalar>* x = &cache.target_embedding.output;
  for (std::size_t i = 0; i < p.decoder.size(); ++i) {
    DecoderLayer<Scalar>::forward(p.decoder[i], settings, *x, memory, masks.decoder_combined, masks.cross_padding,
                                  target_input.rows(), pass,
                                  kFirstLayerSite + static_cast<Site>(i) * DecoderLayer<Scalar>::kSites,
                                  cache.decoder[i], recorder.at("layers", static_cast<Index>(i)));
    x = &cache.decoder[i].output();                                                                 // [N, D]
  }
  if (p.decoder_norm) {
    LayerNorm<Scalar>::forward(*p.decoder_norm, *x, cache.decoder_norm, cache.normed_state, recorder.at("layer_norm"));
  }
  Linear<Scalar>::forward(p.output, state(cache), cache.logits, recorder.at("output"));             // [N, V]
  return cache.logits;
}

template <std::floating_point Scalar>
LossSum Transformer<Scalar>::forward(const Parameters& p, const ModelInput& input, double label_smoothing,
                                     const Pass& pass, Cache& cache, const Recorder& recorder) const {
  const Buffer<Scalar>& memory =
      encode(p, input.source, input.masks.encoder_padding, pass, cache, recorder.at("encoder"));
  decode(p, input.target_input, memory, input.masks, pass, cache, recorder.at("decoder"));
  return CrossEntropy<Scalar>::forward(input.target_output, vocabulary.target_pad, label_smoothing, cache.logits,
                                       cache.cross_entropy, recorder.at("loss"));
}

template <std::floating_point Scalar>
void Transformer<Scalar>::backward(const Parameters& p, const ModelInput& input, double label_smoothing,
                                   Scalar d_loss, Cache& cache, Parameters& grad, const Recorder& recorder) const {
  // loss = cross-entropy(logits)
  CrossEntropy<Scalar>::backward(input.target_output, vocabulary.target_pad, label_smoothing, d_loss, cache.logits,
                                 recorder.at("loss"));
  backward_decoder(p, input, cache, grad, recorder.at("decoder"));
  backward_encoder(p, input, cache, grad, recorder.at("encoder"));
}

template <std::floating_point Scalar>
void Transformer<Scalar>::backward_decoder(const Parameters& p, const ModelInput& input, Cache& cache,
                                           Parameters& grad, const Recorder& recorder) const {
  const Buffer<Scalar>& d_logits = cache.logits;
  // logits = state E^T + b
  Linear<Scalar>::backward(p.output, state(cache), d_logits, grad.output, cache.d_state, recorder.at("output"));
  const Buffer<Scalar>* d_x = &cache.d_state;
  if (p.decoder_norm) {
    LayerNorm<Scalar>::backward(*p.decoder_norm, cache.decoder_norm, *d_x, *grad.decoder_norm, cache.d_normed,
                                recorder.at("layer_norm"));
    d_x = &cache.d_normed;
  }
  // Every decoder layer looks at the memory, so the memory's gradient is the sum of what comes back out of each.
  cache.d_memory.resize_like(memory(cache));
  cache.d_memory.setZero();                                                                        // [M, D]
  for (std::size_t i = p.decoder.size(); i-- > 0;) {
    const Buffer<Scalar>& x = i == 0 ? cache.target_embedding.output : cache.decoder[i - 1].output();
    DecoderLayer<Scalar>::backward(p.decoder[i], settings, x, memory(cache), input.source.rows(), cache.decoder[i],
                                   *d_x, grad.decoder[i], recorder.at("layers", static_cast<Index>(i)));
    cache.d_memory += cache.decoder[i].d_memory();
    recorder.record("d_memory [M, D] += {what comes back out of this layer}", cache.d_memory,
                    cache.decoder[i].d_memory());
    d_x = &cache.decoder[i].d_input();
  }
  Embedding<Scalar>::backward(input.target_input, vocabulary.target_pad, settings.scale_embeddings,
                              cache.target_embedding, *d_x, grad.target_embedding, recorder.at("embed_tokens"));
}

template <std::floating_point Scalar>
void Transformer<Scalar>::backward_encoder(const Parameters& p, const ModelInput& input, Cache& cache,
                                           Parameters& grad, const Recorder& recorder) const {
  const Buffer<Scalar>* d_x = &cache.d_memory;
  if (p.encoder_norm) {
    LayerNorm<Scalar>::backward(*p.encoder_norm, cache.encoder_norm, *d_x, *grad.encoder_norm, cache.d_normed,
                                recorder.at("layer_norm"));
    d_x = &cache.d_normed;
  }
  for (std::size_t i = p.encoder.size(); i-- > 0;) {
    const Buffer<Scalar>& x = i == 0 ? cache.source_embedding.output : cache.encoder[i - 1].output();
    EncoderLayer<Scalar>::backward(p.encoder[i], settings, x, input.source.rows(), cache.encoder[i], *d_x,
                                   grad.encoder[i], recorder.at("layers", static_cast<Index>(i)));
    d_x = &cache.encoder[i].d_input();
  }
  Embedding<Scalar>::backward(input.source, vocabulary.source_pad, settings.scale_embeddings, cache.source_embedding,
                              *d_x, grad.source_embedding, recorder.at("embed_tokens"));
}

template struct Transformer<float>;
template struct Transformer<double>;

}  // namespace glassformer

#include "glassformer/model/transformer.hpp"

namespace glassformer {

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
  pass.begin_backward();
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
    d_memory_.eigen() += d_memory.eigen();
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

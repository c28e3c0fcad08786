#include "model/encoder_layer.hpp"

namespace glassformer {

template <std::floating_point Scalar>
EncoderLayer<Scalar>::EncoderLayer(const Part<Scalar>& part, const TransformerSettings& settings)
    : self_attention(part.at("self_attn"), settings.attention(), part.at("self_attn_layer_norm"),
                     settings.add_and_norm()),
      feed_forward(part.sharing_prefix("feed_forward"), settings.feed_forward(), part.at("final_layer_norm"),
                   settings.add_and_norm()) {}

template class EncoderLayer<float>;
template class EncoderLayer<double>;

}  // namespace glassformer

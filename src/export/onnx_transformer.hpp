#pragma once

#include <cstddef>
#include <string>

#include "model/transformer.hpp"

/// The transformer as two ONNX files, with the names that Hugging Face's optimum has for what goes in and comes out. In
/// both, ids are int64, numbers are float32, and B, S and T may be anything:
///
///   encoder   input_ids [B, S], attention_mask [B, S]         to last_hidden_state [B, S, D]
///   decoder   input_ids [B, T], encoder_attention_mask [B, S],
///             encoder_hidden_states [B, S, D]                 to logits [B, T, V]
///
/// An attention mask is 1 where a token is, and 0 where padding is. The graphs hide what the model was taught to hide
/// (MaskSettings): one that does without a mask passes over it. The decoder is that of teacher forcing, and reads a
/// translation from its beginning each time.
///
/// B sentences, S source length, T target length, D model width, V target vocabulary.
namespace glassformer {

inline constexpr std::size_t kLargestOnnxFile = 2'147'483'647;  ///< bytes; protobuf, which is its form, has no more

/// The bytes of encoder_model.onnx. \throws UserError: there would be more than `largest`
std::string onnx_encoder(const Transformer<float>& model, const Arena<Transformer<float>::Parameters>& parameters,
                         std::size_t largest = kLargestOnnxFile);

/// The bytes of decoder_model.onnx. \throws UserError: there would be more than `largest`
std::string onnx_decoder(const Transformer<float>& model, const Arena<Transformer<float>::Parameters>& parameters,
                         std::size_t largest = kLargestOnnxFile);

}  // namespace glassformer

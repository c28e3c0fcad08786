#pragma once

#include <string>
#include <string_view>

#include "glassformer/layers/part.hpp"
#include "glassformer/recording/recording.hpp"

namespace glassformer {

/// The axes of a recorded tensor in the model's letters, not in a layer's own (N rows, T queries, S keys, "in", "out"):
///
///   "N, D" of decoder.layers.0...              "B*T, D"
///   "B*H*T, S" of encoder.layers.0.self_attn   "B*H*S, S"
///   "out, in" of ...feed_forward.fc1           "F, D"
///
/// `info` describes the tensor's part.
std::string tensor_axes(const RecordedTensor& tensor, const PartInfo& info);

/// Which axis has one entry for each token of a vocabulary.
enum class VocabularyAxis { none, rows, cols };
/// `axes` is what tensor_axes returns.
VocabularyAxis vocabulary_axis(std::string_view axes);

}  // namespace glassformer

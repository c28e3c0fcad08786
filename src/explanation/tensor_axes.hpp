#pragma once

#include <string>

#include "layers/recording.hpp"

namespace glassformer {

/// What the rows and columns of a recorded tensor are in this model. A layer speaks of its own N rows, T queries and S
/// keys, and of "in" and "out"; in the encoder the rows are B*S source tokens and the queries are keys as well, in the
/// decoder they are B*T target tokens, and only cross-attention looks from T to S.
///
///   "N, D" of decoder.layers.0...              "B*T, D"
///   "B*H*T, S" of encoder.layers.0.self_attn   "B*H*S, S"
///   "out, in" of ...feed_forward.fc1           "F, D"
std::string tensor_axes(const RecordedTensor& tensor);

}  // namespace glassformer

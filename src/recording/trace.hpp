#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "glassformer/batching/batch.hpp"
#include "glassformer/layers/recorder.hpp"
#include "glassformer/model/model.hpp"

/// The numbers of one pass through a model, forward and backward, as training computes them: the same layers in the
/// same precision. A recorder, if you pass one, gets every step in the order of computation.
namespace glassformer {

/// A model and how to run it.
struct TracedModel {
  const Model<float>& model;
  double label_smoothing = 0;
  bool dropout = false;  ///< as in training, drawn from `seed`, update 1 and the number of the pair
  std::uint64_t seed = 1;
};

/// A possible next token.
struct LikelyToken {
  Id id = 0;
  double probability = 0;
};

/// What the model predicts at one position of the target.
struct Answer {
  Id expected = 0;
  bool counted = false;                ///< false: padding is expected here; the loss ignores it
  double probability = 0;              ///< of the expected token
  double loss = 0, cross_entropy = 0;  ///< with and without label smoothing
  std::vector<LikelyToken> likeliest;  ///< ten, or the whole vocabulary if that is smaller
};
using Answers = std::vector<std::vector<Answer>>;  // [B][T]

enum class AttentionKind { encoder_self, decoder_self, cross };

/// The attention weights of one sublayer.
struct AttentionWeights {
  std::string part;  ///< "encoder.layers.0.self_attn"
  AttentionKind kind;
  Index layer = 0;        ///< from 0, in the encoder or the decoder
  Matrix<float> weights;  ///< [B*H*queries, keys]
};

/// What trace_pass found, apart from the recorded steps.
struct Trace {
  LossSum loss;
  Answers answers;
  std::vector<AttentionWeights> attention;  ///< encoder layers, then self and cross of each decoder layer
  std::vector<double> gradient_norms;       ///< of the mean loss, for every parameter tensor in arena order
  std::vector<std::string> memory_readers;  ///< the part of each decoder layer that projects the memory
  std::map<std::string, PartInfo> parts;    ///< all parts of the model, by name
};

/// Runs the batch forward and backward under these masks.
Trace trace_pass(const TracedModel& traced, const Batch& batch, const TransformerMasks& masks,
                 Recorder* recorder = nullptr);

/// Runs the batch forward only.
Answers find_answers(const TracedModel& traced, const Batch& batch, const TransformerMasks& masks);

/// The Euclidean norm of every tensor, in arena order.
std::vector<double> tensor_norms(const Arena<float>& arena);

}  // namespace glassformer

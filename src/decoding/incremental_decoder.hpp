#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <vector>

#include "glassformer/layers/encoded_sources.hpp"
#include "glassformer/layers/key_value_cache.hpp"
#include "glassformer/model/model.hpp"

namespace glassformer {

/// A hypothesis extended by one token.
struct Extension {
  Index sentence;  ///< the source that it translates
  Index parent;    ///< the row of the previous step that it extends; ignored in the first step
  Id token;        ///< the new token; bos in the first step
};

/// The transformer's decoder, one token at a time, as a search needs it (layers/attention.hpp says why). Each step runs
/// the decoder layers for one token of each hypothesis, and caches its keys and values for later steps. The layers are
/// the same as in teacher forcing, so with a look-ahead mask the logits are the same up to rounding.
///
/// No look-ahead mask is needed, whether or not the model was trained with one: there are no future tokens yet.
///
/// The other sentences of a step, and earlier calls, do not change a single bit of a hypothesis's logits (see
/// numerics/gemm.hpp). The exception is a model trained to see padding: longer neighbours mean more padding.
///
/// R rows = running hypotheses of all sentences, D = model width, V = target vocabulary.
template <std::floating_point Scalar>
class IncrementalDecoder {
 public:
  /// The model must outlive the decoder.
  explicit IncrementalDecoder(const Model<Scalar>& model);
  /// The same, for several decoders that share packed copies of the model's weights.
  IncrementalDecoder(const Model<Scalar>& model, PackedWeights<Scalar>& packed);

  /// Encodes the sources (ids, eos included, none empty). Each may have at most `hypotheses` running at a time.
  void start(std::span<const std::span<const Id>> sources, Index hypotheses);

  /// The next step. The rows of one sentence must be adjacent; leave out sentences that are done. Returns the logits
  /// [R, V] of the next tokens, which are valid until the next step.
  const Buffer<Scalar>& step(std::span<const Extension> rows);

 private:
  void encode(std::span<const std::span<const Id>> sources);

  std::unique_ptr<Transformer<Scalar>> model_;
  std::vector<Mask> cross_masks_;                // [B] of each sentence
  std::vector<EncodedSources<Scalar>> sources_;  // of each decoder layer
  std::vector<KeyValueCache<Scalar>> past_;      // the same
  Index position_ = 0;                           // of the next token
  std::vector<Index> parents_, sentences_;       // [R]
  Buffer<Scalar> embedded_;                      // [R, D]
};

}  // namespace glassformer

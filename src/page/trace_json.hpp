#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "glassformer/page/explanation.hpp"
#include "glassformer/page/matrix_json.hpp"

/// The trace that `explain` writes as JSON.
namespace glassformer {

struct TraceOptions {
  std::string checkpoint;      ///< its path
  std::optional<Index> layer;  ///< leave out the steps of all layers but this one (from 0)
  MatrixForm form = MatrixForm::numbers;
};

/// The explanation as JSON. `explain --json` writes it, and the page is made from it. As long as "version" is 1, keys
/// keep their meaning; new keys may be added.
///
///   format, version, glassformer, checkpoint
///   model            settings, number of parameters, whether dropout is on and its rates, the masks that were off in
///                    training
///   layer            the only layer whose steps are all included; null: every layer
///   sentences        B pairs: source, target, own_translation
///   batch            source [B, S], target_input and target_output [B, T]: ids and tokens; pad: the ids of padding
///   vocabulary       source, target: the token of every id
///   masks            1 = blocked: encoder_padding [B, S], target_padding [B, T], look_ahead [T, T],
///                    decoder_combined [B*T, T] (maximum of the previous two), cross_padding [B, S]
///   tensors          every recorded matrix: name, part of the model, axes, computed (false: given), values. If the
///                    page cuts the axis V of a large vocabulary, also ids (of the tokens shown) and vocabulary (the
///                    total number of tokens)
///   steps            in the order of computation: direction, part, equation ({x} is an input), output and inputs
///                    (numbers of tensors), code (file, function, first and last line); for a backward step, the
///                    forward step that it differentiates, and its lines; null if there is none or it is left out
///   sources          the text of the files that the steps name
///   attention        for every attention sublayer: part, kind, layer, weights (number of a tensor [B*H*queries, keys])
///   answer           for each position of each target: expected id, whether it is counted, loss, cross_entropy,
///                    probability, likeliest: the ten most likely {id, token, probability}, or all if fewer
///   d_logits         number of the tensor [B*T, V]: (softmax - target distribution) / tokens
///   loss             mean, cross_entropy, perplexity, tokens, correct
///   gradients        for every parameter tensor: name, shape, norm, values_norm
///   memory_gradient  numbers of tensors [B*S, D]: sum, and parts: what each decoder layer sends, last layer first
///   what_if          different masks for the same batch, "right" first: name, title, says, changed, masks
///                    reasons: for each mask, the elementary masks that it combines, except those that are off:
///                    name, sentences and queries (1: one row for all), blocked
///                    loss, losses and answers (most likely ids) [B, T]; alone: losses and answers of each sentence in
///                    a batch of its own; on_padding: for each sentence, how much of each kind of attention its words
///                    pay to padding, from 0 to 1
///                    attention (as above), gradient_norms (as "gradients")
///
/// Axes: B sentences, S and T the padded lengths of source and target, H heads, D model width, F feed-forward width, V
/// target vocabulary; "B*H*T": queries of each head of each sentence. matrix_json describes how matrices are written.
nlohmann::ordered_json trace_json(const ExplainedModel& explained, const Explanation& explanation,
                                  const TraceOptions& options);

}  // namespace glassformer

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "page/explanation.hpp"
#include "page/trace_steps.hpp"

namespace glassformer {

struct TraceOptions {
  std::string checkpoint;      ///< its name
  std::optional<Index> layer;  ///< of the steps in layers, only those of this layer (from 0)
  MatrixForm form = MatrixForm::numbers;
};

/// The explanation as JSON: what `explain --json` writes, and what the page is made from. As long as "version" is 1,
/// keys keep their meaning; others may be added.
///
///   format, version, glassformer, checkpoint
///   model            settings, number of parameters, the masks that it learned without
///   layer            of the steps in layers, only those of this layer are there; null: all
///   sentences        B pairs: source, target, own_translation
///   batch            source [B, S], target_input and target_output [B, T]: ids and tokens; the ids of padding
///   vocabulary       source, target: the token of every id
///   masks            1 is blocked: encoder_padding [B, S], target_padding [B, T], look_ahead [T, T],
///                    decoder_combined [B*T, T] (their elementwise maximum), cross_padding [B, S]
///   tensors          every recorded matrix: name, part of the model, axes, computed (or given), values; on a
///                    page, where an axis V is cut to some tokens of a large vocabulary, also ids: theirs, and
///                    vocabulary: how many there are
///   steps            in the order in which they were computed: direction, part, equation ({x} is an input), output and
///                    inputs (numbers of tensors), code (file, function, first and last line), and for steps backward
///                    what they differentiate: a step forward and its lines; null where it has none, or is left out
///   sources          the files that the steps name, as compiled in
///   attention        weights of every attention: part, kind, layer, number of the tensor [B*H*queries, keys]
///   answer           for each place of each target: expected id, whether it is counted, loss, cross_entropy,
///                    probability, likeliest: ten of {id, token, probability}, or the whole vocabulary
///   d_logits         number of the tensor [B*T, V]: (softmax - target distribution) / tokens
///   loss             mean, perplexity, tokens, correct
///   gradients        of every parameter: name, shape, norm, values_norm
///   memory_gradient  numbers of tensors [B*S, D]: sum, and parts: what each decoder layer sends, the last one first
///   what_if          other masks for the same batch, "right" first: name, title, says, changed, masks
///                    reasons: of each mask, the elementary ones whose maximum it is: name, sentences and queries (1:
///                    the same row for all), blocked; what is off is not among them
///                    loss, losses and answers (likeliest ids) [B, T]; alone: losses and answers of each sentence in a
///                    batch of its own; on_padding: of each sentence, the share of each kind of attention that its
///                    words spend on padding
///                    attention (as above), gradient_norms (as "gradients")
///
/// Axes: B sentences, S and T the padded lengths of source and target, H heads, D model width, F feed-forward width, V
/// target vocabulary; "B*H*T" queries of each head of each sentence. Matrices are as matrix_json writes them.
nlohmann::ordered_json trace_json(const ExplainedModel& explained, const Explanation& explanation,
                                  const TraceOptions& options);

}  // namespace glassformer

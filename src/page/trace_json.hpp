#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "page/explanation.hpp"

/// The trace that `explain` writes as JSON. step_code.cpp finds the code of a step, trace_steps.cpp describes steps and
/// tensors, trace_json.cpp describes everything else.
namespace glassformer {

/// Lines of a source file, `first` to `last` inclusive, counted from 1.
struct CodeLines {
  std::string file;      ///< "src/layers/linear.cpp"
  std::string function;  ///< "Linear::forward"
  int first = 0, last = 0;
};

/// The paragraph above the line that recorded the step. It starts after a blank line or an earlier record (but not
/// one in a nested loop), or after the head of its block. `text` is the content of the step's file.
CodeLines lines_that_computed(const RecordedStep& step, std::string_view text);

/// "src/...": the compiler's path, made relative to the project.
std::string path_in_project(std::string_view path);

/// For each backward step, the forward step that it differentiates. For d_x, this is the last forward step of the same
/// part that reads x. A step that adds to a sum over several parts differentiates the same step as its summand.
std::vector<std::optional<std::size_t>> differentiated_steps(const Recording& recording);

/// Whether the step belongs to a layer's backward pass.
bool is_backward(const RecordedStep& step);

/// How a matrix is written into JSON.
enum class MatrixForm {
  numbers,  ///< for programs: "numbers", row by row, with as few digits as a float needs; null if not finite
  packed,   ///< for the page: "packed", the upper bits of each float in base64. A number takes four letters (precise
            ///< to 2^-16), or three (2^-10) in a matrix of more than 2,048 numbers
};

/// An object with "rows", "cols" and the numbers in the given form.
nlohmann::ordered_json matrix_json(const Matrix<double>& matrix, MatrixForm form);
/// The same for a matrix of zeros and ones. In packed form it has "bits": one character, 0 or 1, for each cell.
nlohmann::ordered_json mask_json(const Buffer<std::uint8_t>& mask, MatrixForm form);

/// The axes of a recorded tensor in the model's letters, not in a layer's own (N rows, T queries, S keys, "in", "out"):
///
///   "N, D" of decoder.layers.0...              "B*T, D"
///   "B*H*T, S" of encoder.layers.0.self_attn   "B*H*S, S"
///   "out, in" of ...feed_forward.fc1           "F, D"
///
/// `info` describes the tensor's part.
std::string tensor_axes(const RecordedTensor& tensor, const PartInfo& info);

/// The tokens of both vocabularies that a page shows, in ascending order. For a vocabulary of more than 1,000, only
/// the special ones and those in the batch and its answers: no browser opens a page with 58,100 rows per table.
struct ShownIds {
  std::vector<Id> source, target;
};
ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation);

/// What a step computed: the part of the model, and the name of the result.
using PartAndName = std::pair<std::string, std::string>;

/// The steps and tensors of a recording that go into a trace. They are renumbered, because steps may be left out.
class TraceSteps {
 public:
  /// `trace` is that of the recorded pass; it must outlive this object, as must the recording. If `layer` is given, the
  /// steps of other layers are left out, except for attention weights and memory gradients.
  TraceSteps(const Recording& recording, const Trace& trace, std::optional<Index> layer);

  /// In packed form, a vocabulary axis is cut to the ids shown.
  nlohmann::ordered_json tensors(MatrixForm form, const ShownIds& shown) const;
  nlohmann::ordered_json steps() const;
  nlohmann::ordered_json sources() const;  ///< the text of the files that the steps name
  /// The number of the last tensor that was computed under this part and name; null if there is none.
  nlohmann::ordered_json computed(const PartAndName& wanted) const;

 private:
  const Recording& recording_;
  const Trace& trace_;
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // number in the recording -> in the trace
};

struct TraceOptions {
  std::string checkpoint;      ///< its path
  std::optional<Index> layer;  ///< leave out the steps of all layers but this one (from 0)
  MatrixForm form = MatrixForm::numbers;
};

/// The explanation as JSON. `explain --json` writes it, and the page is made from it. As long as "version" is 1, keys
/// keep their meaning; new keys may be added.
///
///   format, version, glassformer, checkpoint
///   model            settings, number of parameters, the masks that were off in training
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

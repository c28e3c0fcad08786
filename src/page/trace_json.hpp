#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/explanation.hpp"

/// A trace: what `explain` writes as JSON. step_code.cpp finds the code of a step, trace_steps.cpp describes steps and
/// tensors, trace_json.cpp everything else.
namespace glassformer {

/// Lines of a source file, from 1, both included.
struct CodeLines {
  std::string file;      ///< "src/layers/linear.cpp"
  std::string function;  ///< "Linear::forward"
  int first = 0, last = 0;
};

/// The paragraph above the line that recorded the step: back to a blank line or an earlier record outside any loop, or
/// to the function's head. `text` is that of the step's file.
CodeLines lines_that_computed(const RecordedStep& step, std::string_view text);

/// "src/...", from the compiler's path.
std::string path_in_project(std::string_view path);

/// For each backward step, the forward step that it differentiates: for d_x, the last forward step of the same part
/// that reads x. A step that adds to a sum over several parts differentiates what its summand does.
std::vector<std::optional<std::size_t>> differentiated_steps(const Recording& recording);

bool is_backward(const RecordedStep& step);

/// How a matrix is written into JSON.
enum class MatrixForm {
  numbers,  ///< for programs: "numbers", row by row, no longer than a float needs; null where not finite
  packed,   ///< for the page: "packed", the upper bits of each float in base64: four letters for each number (precise
            ///< to 2^-16), or three (2^-10) in a matrix of more than 2,048 numbers
};

/// An object: "rows", "cols", and the numbers in the given form.
nlohmann::ordered_json matrix_json(const Matrix<double>& matrix, MatrixForm form);
/// The same of zeros and ones. Packed, it holds "bits": a letter 0 or 1 for each.
nlohmann::ordered_json mask_json(const Buffer<std::uint8_t>& mask, MatrixForm form);

/// What the rows and columns of a recorded tensor are in the model, instead of a layer's own N rows, T queries, S keys,
/// "in" and "out":
///
///   "N, D" of decoder.layers.0...              "B*T, D"
///   "B*H*T, S" of encoder.layers.0.self_attn   "B*H*S, S"
///   "out, in" of ...feed_forward.fc1           "F, D"
std::string tensor_axes(const RecordedTensor& tensor);

/// The tokens of both vocabularies whose numbers a page shows, in ascending order. Of more than 1,000 tokens, these are
/// the special ones and those in the batch and its answers: no browser opens a page with 58,100 rows in every table.
struct ShownIds {
  std::vector<Id> source, target;
};
ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation);

/// The steps and tensors of a recording that go into a trace. They are numbered anew, because steps may be left out.
class TraceSteps {
 public:
  /// With `layer`, the steps of other layers are left out, except for attention weights and memory gradients.
  TraceSteps(const Recording& recording, std::optional<Index> layer);

  /// In packed form, an axis of the vocabulary is cut to the ids shown.
  nlohmann::ordered_json tensors(MatrixForm form, const ShownIds& shown) const;
  nlohmann::ordered_json steps() const;
  nlohmann::ordered_json sources() const;  ///< the files that the steps name
  /// The number of the last tensor of that name which a step of that part computed; null if none did.
  nlohmann::ordered_json computed(const std::string& part, const std::string& name) const;

 private:
  const Recording& recording_;
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // of those that stay: in the recording -> here
};

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
///   sources          the files that the steps name
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

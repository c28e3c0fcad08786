#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/explanation.hpp"

/// What a trace says of the steps and tensors of a recording, and how it writes matrices. step_code.cpp finds the lines
/// of C++ that computed a step.
namespace glassformer {

/// Some lines of a source file, counted from 1, both included.
struct CodeLines {
  std::string file;      ///< "src/layers/linear.cpp"
  std::string function;  ///< "Linear::forward"
  int first = 0, last = 0;
};

/// The paragraph above the line that recorded the step: back to a blank line, an earlier record (neither inside a loop)
/// or the function's head. `text` is that of the step's file.
CodeLines lines_that_computed(const RecordedStep& step, std::string_view text);

/// "src/...", from the compiler's path.
std::string path_in_project(std::string_view path);

/// For each backward step, the forward step that it differentiates: for d_x, the last forward step of the same part that
/// reads x. A step that adds to a sum over several parts differentiates what its summand does. Forward steps have none.
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
  /// The files that the steps name.
  nlohmann::ordered_json sources() const;
  /// The number of the last tensor of that name which a step of that part computed; null if none did.
  nlohmann::ordered_json computed(const std::string& part, const std::string& name) const;

 private:
  const Recording& recording_;
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // of those that stay: in the recording -> here
};

}  // namespace glassformer

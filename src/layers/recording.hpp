#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "glassformer/numerics/matrix.hpp"

/// A forward and backward pass can be recorded. Where a layer computes something worth showing, one line records the
/// layer's name, the equation and the result. After them come the inputs, one for each pair of braces, in order:
///
///   pass.record(name_, "d_x [N, in] = {d_y} {weight}", d_x_, d_y, weight.value());
///
/// A record stands for the statements of its block since the previous one. Without a recording it is one null check.
namespace glassformer {

/// The contents of one matrix at one moment.
struct RecordedTensor {
  std::string name;  ///< as in the equation: "scores"
  std::string part;  ///< the part of the model that computed it, or read it first: "encoder.layers.0.self_attn"
  std::string axes;  ///< what rows and columns are, in the layer's letters: "B*H*T, S"; "" if not given
  Matrix<double> values;
  bool computed = false;  ///< false for given tensors: a parameter, ids, a mask
};

enum class Direction { forward, backward };

/// One computation of an equation.
struct RecordedStep {
  /// The contents of a pair of braces.
  struct Input {
    std::string name;
    std::size_t tensor;  ///< its index in tensors()
  };
  Direction direction = Direction::forward;
  std::string part;
  std::string formula;        ///< the right side: "{products} / sqrt(d_head)"
  bool adds = false;          ///< "+=": the old value is the last input, if it was recorded
  std::size_t output = 0;     ///< its index in tensors()
  std::vector<Input> inputs;  ///< in the order of the braces
  std::string file;           ///< of the line that recorded it, as the compiler gives it
  int line = 0;
  std::string function;  ///< "forward", "backward", ...
};

// Not constexpr, so that a wrong equation does not compile; the compiler's message names the function.
void an_equation_needs_one_pair_of_braces_for_each_input();
void an_equation_has_the_form_name_rows_columns_equals_formula();

/// The text of an equation, and where in the source it is.
struct EquationSource {
  std::string_view text;
  const char* file;
  int line;
  const char* function;
};

/// An equation whose text is checked at compile time: "name [rows, columns] = formula with {inputs}". An input that no
/// step computes may have axes after its name: "{weight [out, in]}".
template <std::size_t kInputs>
struct Equation {
  EquationSource source;

  // (std::source_location would do the same as these builtins, but Clang 14 does not have it.)
  consteval Equation(const char* equation, const char* file_name = __builtin_FILE(), int line_number = __builtin_LINE(),
                     const char* function_name = __builtin_FUNCTION())
      : source{equation, file_name, line_number, function_name} {
    const std::string_view text = source.text;
    std::size_t inputs = 0;
    for (const char letter : text) {
      inputs += letter == '{';
    }
    if (inputs != kInputs) {
      an_equation_needs_one_pair_of_braces_for_each_input();
    }
    const std::size_t end_of_axes = std::min(text.find("] = "), text.find("] += "));
    if (end_of_axes == std::string_view::npos || text.find(" [") > end_of_axes) {
      an_equation_has_the_form_name_rows_columns_equals_formula();
    }
  }
};

/// Everything recorded in one pass, in the order of computation. An input is recognised by its location in memory: it
/// is the tensor last recorded there, if the numbers are unchanged. Otherwise it is a new tensor that no step computed.
class Recording {
 public:
  const std::vector<RecordedTensor>& tensors() const { return tensors_; }
  const std::vector<RecordedStep>& steps() const { return steps_; }

  /// A matrix and its location in memory.
  struct Snapshot {
    const void* data;
    Matrix<double> values;
  };
  /// Records what part `part` of the model computed. An in-place step is recorded after it has overwritten its input,
  /// so an input at the same location as the output is taken to be the tensor last recorded there.
  void add(std::string part, const EquationSource& source, Snapshot output, std::vector<Snapshot> inputs);
  /// From here on, steps belong to the backward pass.
  void begin_backward() { direction_ = Direction::backward; }

 private:
  using Place = std::tuple<const void*, Index, Index>;  // address, shape: a matrix and its first row share an address

  static Place place_of(const Snapshot& matrix) { return {matrix.data, matrix.values.rows(), matrix.values.cols()}; }
  std::size_t input(const std::string& part, std::string_view text, const Snapshot& matrix, bool overwritten);

  std::vector<RecordedTensor> tensors_;
  std::vector<RecordedStep> steps_;
  Direction direction_ = Direction::forward;
  std::map<Place, std::size_t> latest_;  // the tensor that was last recorded at each location
};

/// Copies any matrix for the recording.
template <class Numbers>
Recording::Snapshot snapshot(const Numbers& numbers) {
  return {numbers.data(), numbers.eigen().template cast<double>()};
}

}  // namespace glassformer

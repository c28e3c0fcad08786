#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "numerics/matrix.hpp"

/// A pass forward and backward can be recorded: where a layer has computed something worth showing, one line says so.
/// It holds the layer's name, the equation, the result, and the inputs, one for each pair of braces, in order:
///
///   pass.record(name_, "d_x [N, in] = {d_y} {weight}", d_x_, d_y, weight.value());
///
/// Without a recording, as in training, this line is one null check.
namespace glassformer {

/// One matrix, as it was at one moment.
struct RecordedTensor {
  std::string name;  ///< as in the equation: "scores"
  std::string part;  ///< of the model that computed it, or read it first: "encoder.layers.0.self_attn"
  std::string axes;  ///< what rows and columns are, in the layer's own letters: "B*H*T, S"; "": not said
  Matrix<double> values;
  bool computed = false;  ///< false: it was given: a parameter, ids, a mask
};

/// One equation, computed once.
struct RecordedStep {
  /// What stands in a pair of braces.
  struct Input {
    std::string name;
    std::size_t tensor;  ///< its number among the tensors
  };
  std::string part;
  std::string formula;        ///< the right side: "{products} / sqrt(d_head)"
  bool adds = false;          ///< "+=": what was there before is the last input, if anything was
  std::size_t output = 0;     ///< its number among the tensors
  std::vector<Input> inputs;  ///< in the order of the braces
  std::string file;           ///< of the line that recorded it, as the compiler names it
  int line = 0;
  std::string function;  ///< "forward", "backward", ...
};

/// What an equation says, checked when it is compiled: "name [rows, columns] = formula with {inputs}". Behind an
/// input's name, its axes may stand, for those that no step computes: "{weight [out, in]}". It knows its line.
template <std::size_t kInputs>
struct Equation {
  std::string_view text;
  const char* file;
  int line;
  const char* function;

  // (std::source_location would say the same; Clang 14 does not have it yet.)
  consteval Equation(const char* equation, const char* file_name = __builtin_FILE(), int line_number = __builtin_LINE(),
                     const char* function_name = __builtin_FUNCTION())
      : text(equation), file(file_name), line(line_number), function(function_name) {
    std::size_t inputs = 0;
    for (const char letter : text) inputs += letter == '{';
    if (inputs != kInputs) throw "an equation has a pair of braces for each input";
    const std::size_t end_of_axes = std::min(text.find("] = "), text.find("] += "));
    if (end_of_axes == std::string_view::npos || text.find(" [") > end_of_axes) {
      throw "an equation is \"name [rows, columns] = formula\" or \"... += formula\"";
    }
  }
};

/// Everything recorded of one pass, in the order of computation. An input is recognised by its place in memory: it is
/// what was last recorded there, if the numbers are still the same; otherwise it is something new, which was given.
class Recording {
 public:
  const std::vector<RecordedTensor>& tensors() const { return tensors_; }
  const std::vector<RecordedStep>& steps() const { return steps_; }

  /// A matrix at a place in memory.
  struct Seen {
    const void* data;
    Matrix<double> values;
  };
  /// What a layer of this name has computed. In-place steps are recorded after they are done: if an input lies where
  /// the output does, it is what was there before.
  template <std::size_t kInputs>
  void add(std::string part, const Equation<kInputs>& equation, Seen output, std::vector<Seen> inputs) {
    add(std::move(part), {equation.text, equation.file, equation.line, equation.function}, std::move(output),
        std::move(inputs));
  }
  /// The matrix at `to` is the one at `from`, copied: no step worth showing.
  void add_copy(const Seen& from, const Seen& to);

 private:
  struct Source {
    std::string_view equation;
    const char* file;
    int line;
    const char* function;
  };
  void add(std::string part, const Source& source, Seen output, std::vector<Seen> inputs);

  using Place = std::tuple<const void*, Index, Index>;  // and the shape: a matrix begins where its first column does

  static Place place_of(const Seen& seen) { return {seen.data, seen.values.rows(), seen.values.cols()}; }
  std::size_t input(const std::string& part, std::string_view braces, const Seen& seen, bool overwritten);

  std::vector<RecordedTensor> tensors_;
  std::vector<RecordedStep> steps_;
  std::map<Place, std::size_t> latest_;  // the tensor that was last recorded at a place
};

/// Any matrix as the recording keeps it.
template <class Numbers>
Recording::Seen seen(const Numbers& numbers) {
  return {numbers.data(), numbers.eigen().template cast<double>()};
}

}  // namespace glassformer

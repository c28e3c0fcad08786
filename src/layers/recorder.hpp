#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/numerics/matrix.hpp"

/// A forward and backward pass can be recorded. Where a layer computes something worth showing, one line records the
/// layer's name, the equation and the result. After them come the inputs, one for each pair of braces, in order:
///
///   pass.record(name_, "d_x [N, in] = {d_y} {weight}", d_x_, d_y, weight.value());
///
/// A record stands for the statements of its block since the previous one. Without a recorder it is one null check.
namespace glassformer {

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

/// Receives what the layers record, in the order of computation. Recording (recording/recording.hpp) keeps all of it.
class Recorder {
 public:
  virtual ~Recorder() = default;

  /// A copy of a matrix, and where in memory the matrix is.
  struct Snapshot {
    const void* data;
    Matrix<double> values;

    template <class Numbers>
    explicit Snapshot(const Numbers& matrix) : data(matrix.data()), values(matrix.eigen().template cast<double>()) {}
  };
  /// Part `part` of the model has computed `output`.
  virtual void add(std::string part, const EquationSource& source, Snapshot output, std::vector<Snapshot> inputs) = 0;
  /// From here on, steps belong to the backward pass.
  virtual void begin_backward() = 0;
};

}  // namespace glassformer

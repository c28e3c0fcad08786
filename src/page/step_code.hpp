#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layers/recording.hpp"

/// From a recorded step to the lines of C++ that computed it.
namespace glassformer {

/// Some lines of a source file, counted from 1, both included.
struct CodeLines {
  std::string file;      ///< "src/layers/linear.cpp"
  std::string function;  ///< "Linear::forward"
  int first = 0, last = 0;
};

/// The paragraph above the line that recorded the step: back to a blank line, an earlier record or the function's head.
/// Blank lines and records inside of a loop do not end it. `text` is that of the step's file.
CodeLines lines_that_computed(const RecordedStep& step, std::string_view text);

/// "src/..." of whatever path the compiler gave.
std::string path_in_project(std::string_view path);

/// For each backward step, the forward step that it differentiates. d_x is the gradient with respect to x, so that is
/// the last forward step of the same part of the model that reads x. A step that adds to a sum over several parts
/// differentiates what its summand does. Forward steps have none.
std::vector<std::optional<std::size_t>> differentiated_steps(const Recording& recording);

/// Whether the step belongs to the backward pass.
bool is_backward(const RecordedStep& step);

}  // namespace glassformer

#pragma once

#include <string>
#include <string_view>

#include "layers/recording.hpp"

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

}  // namespace glassformer

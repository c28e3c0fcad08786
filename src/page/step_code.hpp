#pragma once

#include <string>
#include <string_view>

#include "glassformer/recording/recording.hpp"

/// Finds the code that computed a recorded step. The formatting of the source code makes no difference.
namespace glassformer {

/// The statements that computed a step.
struct StepCode {
  std::string function;         ///< "Linear::forward"
  std::string_view statements;  ///< with their comments, from the first character to the last
  int first_line = 0, last_line = 0;
};

/// The statements whose result the record on this line keeps. `text` is the source file. `line` may be any line of the
/// call. A record keeps what its block has computed since the previous record, or since the beginning of the block:
///
///   const auto q = ...;
///   multiply(q, ...);
///   pass.record(name_, "scores ...", ...);       the two statements above
///   pass.record(name_, "weights ...", ...);      directly after a record: the same two
///   if (...) {
///     add(...);
///     pass.record(name_, "sum ...", ...);        the statement above, because the block begins there
///   }
///   scale(...);
///   pass.record(name_, "y ...", ...);            the statement above: the `if` contains a record
///
/// If its block contains nothing before it, the record keeps what comes before the block. Throws std::logic_error if
/// there is no record on the line.
StepCode code_of_record(std::string_view text, int line);

/// "src/...": the compiler's path, made relative to the project.
std::string path_in_project(std::string_view path);

}  // namespace glassformer

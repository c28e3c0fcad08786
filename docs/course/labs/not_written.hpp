#pragma once

#include <stdexcept>
#include <string>

namespace glassformer {

/// Thrown by a function of a lab that you have not written yet.
struct NotWritten : std::logic_error {
  using logic_error::logic_error;
};

/// Stands in for the code that you are to write.
[[noreturn]] inline void not_written(const std::string& function) { throw NotWritten(function); }

}  // namespace glassformer

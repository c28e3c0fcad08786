#pragma once

#include <cstdlib>
#include <utility>

namespace glassformer {

/// Throws `error`. If this is compiled without exceptions (as for a web page), it ends the program instead.
template <class Error>
[[noreturn]] void throw_or_abort(Error error) {
#ifdef __cpp_exceptions
  throw std::move(error);
#else
  static_cast<void>(error);
  std::abort();
#endif
}

}  // namespace glassformer

#pragma once

#include <cstdlib>
#include <utility>

namespace glassformer {

#ifdef __wasm__
/// The page's script throws the message as a JavaScript error, which leaves the core at once, without running any
/// destructor. See src/live/exports.cpp.
extern "C" [[clang::import_module("page"), clang::import_name("refuse")]] void page_refuse(const char* message);
#endif

/// Throws `error`. If this is compiled without exceptions, it ends the program instead or, in a web page, the call.
template <class Error>
[[noreturn]] void throw_or_abort(Error error) {
#ifdef __cpp_exceptions
  throw std::move(error);
#elif defined(__wasm__)
  page_refuse(error.what());
  std::abort();
#else
  static_cast<void>(error);
  std::abort();
#endif
}

}  // namespace glassformer

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "files/user_error.hpp"
#include "temporary_directory.hpp"

/// Helpers for the fuzzers. Each fuzzer is a function that libFuzzer (https://llvm.org/docs/LibFuzzer.html) calls
/// repeatedly with invented bytes. It looks for crashes, sanitizer errors, and exceptions other than UserError.
namespace glassformer::fuzz {

/// Writes the bytes to a file of this name, at the same path each time.
inline std::filesystem::path as_file(const std::string& name, const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryDirectory directory;
  return directory.write(name, std::string(reinterpret_cast<const char*>(data), size));
}

/// Bad input may be refused, but only by a UserError with a message that can be printed.
inline void may_refuse(const std::function<void()>& action) {
  const std::string message = test::complaint(action);
  if (message.find('\0') != std::string::npos) __builtin_trap();  // the message would end there
}

}  // namespace glassformer::fuzz

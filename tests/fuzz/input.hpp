#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "files/user_error.hpp"
#include "temporary_directory.hpp"

/// What the fuzzers share. Each is a function that libFuzzer (https://llvm.org/docs/LibFuzzer.html) calls with bytes
/// which it invents, over and over; what it looks for are crashes, sanitizers' complaints and exceptions that are no
/// UserError.
namespace glassformer::fuzz {

/// The bytes as a file of this name, the same place each time.
inline std::filesystem::path as_file(const std::string& name, const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryDirectory directory;
  return directory.write(name, std::string(reinterpret_cast<const char*>(data), size));
}

/// Bad input may be refused, in one clear message, and in no other way.
inline void may_refuse(const std::function<void()>& action) {
  const std::string message = test::complaint(action);
  if (message.find('\0') != std::string::npos) __builtin_trap();  // it would end there
}

}  // namespace glassformer::fuzz

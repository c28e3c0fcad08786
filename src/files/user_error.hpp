#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace glassformer {

/// A mistake of the user's: a wrong key, a missing file, a line that is no UTF-8. The message is whole as it
/// stands (where, what was expected, what was found, what to do); main prints it and exits with status 2.
/// A mistake of the programmer's asserts instead.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why the latest call of the system failed (errno), in its words.
inline std::string system_reason() { return std::generic_category().message(errno); }

}  // namespace glassformer

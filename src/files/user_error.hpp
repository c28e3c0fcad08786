#pragma once

#include <stdexcept>

namespace glassformer {

/// A mistake of the user's: a wrong key, a missing file, a line that is no UTF-8. The message is whole as it
/// stands (where, what was expected, what was found, what to do); main prints it and exits with status 2.
/// A mistake of the programmer's asserts instead.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace glassformer

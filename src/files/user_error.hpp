#pragma once

#include <stdexcept>

namespace glassformer {

/// A mistake by the user: a wrong key, a missing file. The message is complete (where, what was expected, what was
/// found, what to do); main prints it and exits with status 2. Programming errors assert instead.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace glassformer

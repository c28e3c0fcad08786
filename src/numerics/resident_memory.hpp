#pragma once

#include <cstdint>

namespace glassformer {

/// Memory of this process that lies in the machine's, in bytes. 0: the system does not say.
struct ResidentMemory {
  std::int64_t now = 0;
  std::int64_t peak = 0;  ///< the most that it has been
};
/// Of this process, at this moment.
ResidentMemory resident_memory();

}  // namespace glassformer

#pragma once

#include "numerics/matrix.hpp"

namespace glassformer {

/// How far a training has come.
struct Progress {
  Index update = 0;          ///< updates done, skipped ones included
  Index epoch = 0;           ///< completed
  Index batch = 0;           ///< of the current epoch: done
  Index skipped = 0;         ///< updates whose loss or gradient was not finite
  Index skipped_in_row = 0;  ///< the latest of them

  bool operator==(const Progress&) const = default;
};

}  // namespace glassformer

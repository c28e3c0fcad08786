#pragma once

#include <cstddef>
#include <cstdint>

namespace glassformer {

using Index = std::ptrdiff_t;  ///< an index or a count, of rows, columns or anything else; the same as Eigen's
using Id = std::int32_t;       ///< a token's index in its vocabulary

}  // namespace glassformer

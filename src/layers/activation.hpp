#pragma once

namespace glassformer {

enum class Activation { relu, gelu, swish };

}  // namespace glassformer

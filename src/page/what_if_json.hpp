#pragma once

#include <nlohmann/json_fwd.hpp>

#include "glassformer/page/explanation.hpp"
#include "glassformer/page/matrix_json.hpp"

namespace glassformer {

/// What the model computes under the masks of one variant. See "what_if" in trace_json.hpp.
nlohmann::ordered_json what_if_json(const ExplainedVariant& variant, MatrixForm form);

}  // namespace glassformer

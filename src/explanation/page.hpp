#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace glassformer {

/// Writes one HTML file that needs nothing besides: src/explanation/page/page.html with the styles, the trace
/// (packed) and the scripts put in their places.
void write_page(const nlohmann::ordered_json& trace, std::ostream& page);

}  // namespace glassformer

#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace glassformer {

/// Writes a single HTML file that loads nothing: src/page/web/page.html with the styles, the trace (packed) and the
/// scripts filled in.
void write_page(const nlohmann::ordered_json& trace, std::ostream& page);

/// Whether write_page wrote this file: its pages begin with a comment that says so.
bool is_page(const std::filesystem::path& file);

}  // namespace glassformer

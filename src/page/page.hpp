#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <ostream>

/// The page that `explain` writes.
namespace glassformer {

/// Writes a single HTML file that loads nothing: src/web/explain/page.html with the styles, the trace and the script
/// filled in. `trace` is what trace_json returns in packed form.
void write_page(const nlohmann::ordered_json& trace, std::ostream& page);

/// Whether write_page wrote this file.
bool is_page(const std::filesystem::path& file);

}  // namespace glassformer

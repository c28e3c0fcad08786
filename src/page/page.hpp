#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>

/// The pages that the program writes: single HTML files that load nothing.
namespace glassformer {

/// Writes a page of src/web, such as explain: its page.html with the styles, the data and the script filled in.
/// `write_data` writes elements to `page`.
void write_bundled_page(const std::string& name, const std::function<void()>& write_data, std::ostream& page);
/// Writes an element with JSON that is safe inside HTML: without '<', which could end the element or begin a comment.
void write_json_element(const std::string& id, std::string_view json, std::ostream& page);

/// Writes the page of `explain`. `trace` is what trace_json returns in packed form.
void write_page(const nlohmann::ordered_json& trace, std::ostream& page);

/// Whether write_page wrote this file.
bool is_page(const std::filesystem::path& file);

}  // namespace glassformer

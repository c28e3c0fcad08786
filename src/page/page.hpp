#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "page/explanation.hpp"

/// What `explain` shows: a page with everything, and one screen of text with the essentials.
namespace glassformer {

/// Files of the project as they were when this program was built, by their path in the project: the sources of layers
/// and model, and the parts of the page. Made by cmake/EmbedFiles.cmake.
const std::map<std::string_view, std::string_view>& embedded_files();

/// Writes a single HTML file that loads nothing: src/page/web/page.html with the styles, the trace (packed) and the
/// scripts filled in.
void write_page(const nlohmann::ordered_json& trace, std::ostream& page);

/// Whether write_page wrote this file.
bool is_page(const std::filesystem::path& file);

/// Prints one screen of 80 columns about the first two pairs: their tokens, masks, answers and losses.
void write_screen(const ExplainedModel& explained, const Explanation& explanation, std::ostream& output);

// Text in columns. A character counts as one column, so a line with wide characters comes out a little longer.

/// Replaces control characters, which could do anything to a terminal, by U+FFFD.
std::string printable(std::string_view text);
/// The first `columns` characters. If anything is cut, the last one is "…".
std::string cut_to(std::string_view text, Index columns);
/// cut_to, padded with spaces to `columns`.
std::string fit(std::string_view text, Index columns);

}  // namespace glassformer

#pragma once

#include <optional>
#include <ostream>
#include <string>

namespace glassformer {

/// Writes the live page, in which the model trains, as one file that opens from disk: what scripts/live_pages.py puts
/// together, but without the course. With a run (see live_run.hpp), it opens that run.
void write_live_page(const std::optional<std::string>& run_json, std::ostream& page);

}  // namespace glassformer

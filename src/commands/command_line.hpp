#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace glassformer {

/// The message for a command line that CLI11 rejects, with a suggestion if a command or an option is unknown.
std::string parse_error_message(const CLI::App& program, const CLI::ParseError& error);

}  // namespace glassformer

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numerics/matrix.hpp"

/// Text in columns. A character counts as one column, so a line with wide characters comes out a little longer.
namespace glassformer {

/// Replaces control characters, which could do anything to a terminal, by U+FFFD.
std::string printable(std::string_view text);

/// The first `columns` characters. If anything is cut, the last one is "…".
std::string cut_to(std::string_view text, Index columns);

/// cut_to, padded with spaces to `columns`.
std::string fit(std::string_view text, Index columns);

/// The text in lines of at most `columns` columns, cut between words. A longer word gets its own line.
std::vector<std::string> wrapped(std::string_view text, Index columns);

}  // namespace glassformer

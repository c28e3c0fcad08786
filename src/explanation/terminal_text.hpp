#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numerics/matrix.hpp"

/// Text in columns. A character counts as one column (wide ones take two; such a line then is a little longer).
namespace glassformer {

/// Without control characters, which could do anything to a terminal: each becomes U+FFFD.
std::string printable(std::string_view text);

/// The first `columns` characters; where something is cut, the last one is "…".
std::string cut_to(std::string_view text, Index columns);

/// cut_to, and spaces up to `columns`.
std::string fit(std::string_view text, Index columns);

/// The text in lines of at most so many columns, cut between words. A longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, Index columns);

/// Rows of words under each other, each row with its label in front. Where they need more than `columns`, they go on in
/// a further block below.
std::vector<std::string> in_columns(const std::vector<std::string>& labels,
                                    const std::vector<std::vector<std::string>>& rows, Index columns);

}  // namespace glassformer

#pragma once

#include <limits>
#include <string>

#include "report/figures.hpp"

/// Figures as text of constant width, so that lines written one after another form columns.
namespace glassformer {

/// 1234567 as "1,234,567".
std::string with_commas(Index number);

/// Right-aligned in `width` columns, with `decimals` places or as many fewer as fit.
std::string fit_number(double value, int width, int decimals);

/// Tokens per second in five columns: "  987", "12.3k", " 123k", "1.23M".
std::string short_count(double value);

/// A span of time in five columns: "  45s", "1m40s", "2h03m", "3d04h"; "    -" below 0 (unknown).
std::string short_time(double minutes);

/// The line of a training run. Where `width` columns are too few, labels get shorter first, then the less
/// important columns go; update and loss always stay.
std::string training_line(const TrainingFigures& figures, const RunLength& length,
                          int width = std::numeric_limits<int>::max());

/// The line of a validation, in the same columns as far as they mean the same.
std::string validation_line(const ValidationFigures& figures, const RunLength& length);

}  // namespace glassformer

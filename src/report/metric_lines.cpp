#include "glassformer/report/metric_lines.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <utility>
#include <vector>

namespace glassformer {
namespace {

std::string update_text(Index update, const RunLength& length) {
  return fmt::format("update {:>{}}", with_commas(update), length.updates > 0 ? with_commas(length.updates).size() : 7);
}

std::string epoch_text(Index epoch, const RunLength& length) {
  if (length.epochs <= 0) {
    return fmt::format("epoch {:>4}", epoch);
  }
  const std::string last = std::to_string(length.epochs);
  return fmt::format("epoch {:>{}}/{}", epoch, last.size(), last);
}

}  // namespace

std::string with_commas(Index number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > first_digit + 3;) {
    text.insert(end -= 3, ",");
  }
  return text;
}

std::string fit_number(double value, int width, int decimals) {
  if (std::isnan(value)) {
    return fmt::format("{:>{}}", "nan", width);  // without a sign
  }
  for (int places = decimals; places >= 0; --places) {
    std::string text = fmt::format("{:>{}.{}f}", value, width, places);
    if (text.size() <= static_cast<std::size_t>(width)) {
      return text;
    }
  }
  return fmt::format("{:>{}.0e}", value, width);
}

std::string short_count(double value) {
  if (!(value >= 0 && value < 999.5e6)) {
    return "    -";
  }
  if (value < 999.5) {
    return fmt::format("{:5.0f}", value);
  }
  if (value < 999.5e3) {
    return fit_number(value / 1e3, 4, 1) + 'k';
  }
  return fit_number(value / 1e6, 4, 2) + 'M';
}

std::string short_time(double minutes) {
  if (!(minutes >= 0 && minutes < 1e6)) {
    return "    -";
  }
  const auto seconds = static_cast<Index>(std::llround(minutes * 60));
  const Index whole_minutes = seconds / 60;
  const Index hours = whole_minutes / 60;
  const auto two_units = [](Index large, char large_unit, Index small, char small_unit) {
    return fmt::format("{:>5}", fmt::format("{}{}{:02}{}", large, large_unit, small, small_unit));
  };
  if (seconds < 60) {
    return fmt::format("{:4}s", seconds);
  }
  if (hours < 1) {
    return two_units(whole_minutes, 'm', seconds % 60, 's');
  }
  if (hours < 24) {
    return two_units(hours, 'h', whole_minutes % 60, 'm');
  }
  return two_units(hours / 24, 'd', hours % 24, 'h');
}

std::string training_line(const TrainingMetrics& metrics, const RunLength& length, int width) {
  // The higher a column's rank, the sooner it is dropped.
  const std::vector<std::pair<int, std::string>> columns = {
      {0, update_text(metrics.update, length)},
      {3, epoch_text(metrics.epoch, length)},
      {1, "loss " + fit_number(metrics.loss, 7, 4)},
      {5, "ppl " + fit_number(metrics.perplexity, 7, 2)},
      {6, "grad " + fit_number(metrics.gradient_norm, 6, 2)},
      {8, fmt::format("rate {:>7.1e}", metrics.learning_rate)},
      {7, "source " + short_count(metrics.source_tokens_per_second) + "/s"},
      {4, "target " + short_count(metrics.target_tokens_per_second) + "/s"},
      {9, "padding " + fit_number(100 * metrics.padding_share, 4, 1) + '%'},
      {2, "left " + short_time(metrics.minutes_left)},
  };
  for (int ranks = 10;; --ranks) {
    std::string line;
    for (const auto& [rank, text] : columns) {
      if (rank < ranks) {
        line += (line.empty() ? "" : "  ") + text;
      }
    }
    if (static_cast<int>(line.size()) <= width || ranks == 2) {
      return line;
    }
  }
}

std::string validation_line(const ValidationMetrics& metrics, const RunLength& length) {
  std::string line =
      fmt::format("{}  {:<{}}  loss {}  ppl {}  token accuracy {} %", update_text(metrics.update, length), "validation",
                  epoch_text(metrics.epoch, length).size(), fit_number(metrics.loss, 7, 4),
                  fit_number(metrics.perplexity, 7, 2), fit_number(100 * metrics.token_accuracy, 5, 1));
  if (!std::isnan(metrics.bleu)) {
    line += "  BLEU " + fit_number(metrics.bleu, 6, 2);
  }
  if (!std::isnan(metrics.exact_match)) {
    line += "  exact match " + fit_number(100 * metrics.exact_match, 5, 1) + " %";
  }
  return line + (metrics.best ? "  best so far" : "");
}

}  // namespace glassformer

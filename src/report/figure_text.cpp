#include "report/figure_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace glassformer {

std::string with_commas(Index number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > first_digit + 3;) text.insert(end -= 3, ",");
  return text;
}

std::string fit_number(double value, int width, int decimals) {
  const auto columns = static_cast<std::size_t>(width);
  if (std::isnan(value)) return fmt::format("{:>{}}", "nan", width);  // without the sign that it may have
  for (int places = decimals; places >= 0; --places) {
    std::string text = fmt::format("{:>{}.{}f}", value, width, places);  // also "nan" and "inf"
    if (text.size() <= columns) return text;
  }
  return fmt::format("{:>{}.0e}", value, width);
}

std::string short_count(double value) {
  if (!(value >= 0 && value < 1e12)) return "    -";
  if (value < 999.5) return fmt::format("{:5.0f}", value);
  for (const char unit : {'k', 'M'}) {
    value /= 1000;
    if (value < 999.5) return fit_number(value, 4, 2 - (unit == 'k')) + unit;
  }
  return fit_number(value / 1000, 4, 2) + 'G';
}

std::string short_time(double minutes) {
  if (!(minutes >= 0 && minutes < 1e6)) return "    -";
  const auto seconds = static_cast<Index>(std::llround(minutes * 60));
  if (seconds < 60) return fmt::format("{:4}s", seconds);
  if (seconds < 3600) return fmt::format("{:>5}", fmt::format("{}m{:02}s", seconds / 60, seconds % 60));
  const Index whole_minutes = seconds / 60;
  if (whole_minutes < Index{24} * 60) {
    return fmt::format("{:>5}", fmt::format("{}h{:02}m", whole_minutes / 60, whole_minutes % 60));
  }
  const Index hours = whole_minutes / 60;
  return fmt::format("{:>5}", fmt::format("{}d{:02}h", hours / 24, hours % 24));
}

namespace {

/// One figure in its long and its short form. The least important (highest rank) goes first where space is
/// short.
struct Column {
  std::string wide, narrow;
  int rank;
};

std::string join(const std::vector<Column>& columns, std::string Column::*form, std::string_view gap) {
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += gap;
    line += column.*form;
  }
  return line;
}

std::string update_text(Index update, const RunLength& length) {
  const std::size_t width = length.updates > 0 ? with_commas(length.updates).size() : 7;
  return fmt::format("{:>{}}", with_commas(update), width);
}

std::string epoch_text(Index epoch, const RunLength& length) {
  if (length.epochs <= 0) return fmt::format("{:>4}", epoch);
  const std::string last = std::to_string(length.epochs);
  return fmt::format("{:>{}}/{}", epoch, last.size(), last);
}

/// 0.0012 as "1.2e-03", or, with one digit of exponent as long as one is enough, "1.2e-3".
std::string rate_text(double rate, bool narrow) {
  std::string text = fmt::format("{:>7.1e}", rate);
  if (narrow && text.size() == 7 && text[5] == '0') text.erase(5, 1);
  return text;
}

std::vector<Column> training_columns(const TrainingFigures& figures, const RunLength& length) {
  const std::string update = update_text(figures.update, length), epoch = epoch_text(figures.epoch, length);
  const std::string source = short_count(figures.source_tokens_per_second);
  const std::string target = short_count(figures.target_tokens_per_second);
  const std::string padding = fit_number(100 * figures.padding_share, 4, 1) + '%';
  const std::string left = short_time(figures.minutes_left);
  return {
      {"update " + update, update, 0},
      {"epoch " + epoch, "ep " + epoch, 3},
      {"loss " + fit_number(figures.loss, 7, 4), "loss " + fit_number(figures.loss, 5, 3), 1},
      {"ppl " + fit_number(figures.perplexity, 7, 2), "ppl " + fit_number(figures.perplexity, 6, 2), 4},
      {"grad " + fit_number(figures.gradient_norm, 6, 2), "grad " + fit_number(figures.gradient_norm, 4, 2), 6},
      {"rate " + rate_text(figures.learning_rate, false), "lr " + rate_text(figures.learning_rate, true), 7},
      {"source " + source + "/s  target " + target + "/s", source + ">" + target + "/s", 5},
      {"padding " + padding, "pad " + padding, 8},
      {"left " + left, left, 2},
  };
}

}  // namespace

std::string training_line(const TrainingFigures& figures, const RunLength& length, int width) {
  const auto space = static_cast<std::size_t>(std::max(width, 0));
  std::vector<Column> columns = training_columns(figures, length);
  std::string line = join(columns, &Column::wide, "  ");
  if (line.size() <= space) return line;

  const auto by_rank = [](const Column& a, const Column& b) { return a.rank < b.rank; };
  line = join(columns, &Column::narrow, " ");
  while (line.size() > space && columns.size() > 2) {
    columns.erase(std::max_element(columns.begin(), columns.end(), by_rank));
    line = join(columns, &Column::narrow, " ");
  }
  // What space is left goes to longer labels, of the most important figures first.
  for (int rank = 0; rank < static_cast<int>(columns.size()); ++rank) {
    Column& column =
        *std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.rank == rank; });
    std::swap(column.narrow, column.wide);
    std::string longer = join(columns, &Column::narrow, " ");
    if (longer.size() <= space)
      line = std::move(longer);
    else
      std::swap(column.narrow, column.wide);
  }
  return line;
}

std::string validation_line(const ValidationFigures& figures, const RunLength& length) {
  const std::size_t epoch_width = 6 + epoch_text(figures.epoch, length).size();
  std::string line = fmt::format("update {}  {:<{}}  loss {}  ppl {}  token accuracy {} %",
                                 update_text(figures.update, length), "validation", epoch_width,
                                 fit_number(figures.loss, 7, 4), fit_number(figures.perplexity, 7, 2),
                                 fit_number(100 * figures.token_accuracy, 5, 1));
  if (!std::isnan(figures.bleu)) line += "  BLEU " + fit_number(figures.bleu, 6, 2);
  if (!std::isnan(figures.exact_match))
    line += "  exact match " + fit_number(100 * figures.exact_match, 5, 1) + " %";
  return line + (figures.best ? "  best so far" : "");
}

}  // namespace glassformer

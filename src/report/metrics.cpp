#include "glassformer/report/metrics.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

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

Json to_json(const TrainingMetrics& metrics) {
  return {{"kind", "train"},
          {"update", metrics.update},
          {"epoch", metrics.epoch},
          {"loss", metrics.loss},
          {"perplexity", metrics.perplexity},
          {"gradient_norm", metrics.gradient_norm},
          {"learning_rate", metrics.learning_rate},
          {"skipped", metrics.skipped},
          {"source_tokens_per_second", metrics.source_tokens_per_second},
          {"target_tokens_per_second", metrics.target_tokens_per_second},
          {"padding_share", metrics.padding_share},
          {"minutes", metrics.minutes},
          {"minutes_left", metrics.minutes_left < 0 ? Json() : Json(metrics.minutes_left)}};
}

Json to_json(const ValidationMetrics& metrics) {
  return {{"kind", "validation"}, {"update", metrics.update},           {"epoch", metrics.epoch},
          {"loss", metrics.loss}, {"perplexity", metrics.perplexity},   {"token_accuracy", metrics.token_accuracy},
          {"bleu", metrics.bleu}, {"exact_match", metrics.exact_match}, {"minutes", metrics.minutes},
          {"best", metrics.best}};
}

/// The update in a line of metrics.jsonl. `place`: for the error message.
Index update_of(const std::string& line, const std::string& place) try {
  return Json::parse(line).at("update");
} catch (const Json::exception& error) {
  throw UserError(place + ": expected a JSON object with an \"update\", found \"" + brief(line, 60) + "\" (" +
                  brief(error.what(), 200) + "). Delete this line and those below it, or the whole file.");
}

}  // namespace

double padding_share(const TokenCount& tokens) {
  const Index padding = tokens.cells - tokens.source - tokens.target;
  return tokens.cells == 0 ? 0 : static_cast<double>(padding) / static_cast<double>(tokens.cells);
}

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

void MetricsFile::truncate_after(Index update) const {
  if (file_.empty() || !std::filesystem::exists(file_)) {
    return;
  }
  std::istringstream in(read_checkpoint_file(file_, kUnlimited));  // std::ifstream would treat an error as the end
  in.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  std::string kept;
  std::string line;
  for (Index number = 1; std::getline(in, line) && !in.eof(); ++number) {  // an unterminated last line does not count
    if (update_of(line, fmt::format("{}:{}", file_.string(), number)) <= update) {
      kept += line + '\n';
    }
  }
  if (kept.size() != std::filesystem::file_size(file_)) {
    write_file_durably(file_, kept);
  }
}

void MetricsFile::append(const TrainingMetrics& metrics) const { append(to_json(metrics).dump() + '\n'); }
void MetricsFile::append(const ValidationMetrics& metrics) const { append(to_json(metrics).dump() + '\n'); }

void MetricsFile::append(const std::string& line) const {
  if (file_.empty()) {
    return;
  }
  Descriptor(file_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW).write(std::as_bytes(std::span(line)));
}

}  // namespace glassformer

#include "report/figures.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "files/durable_files.hpp"
#include "files/lines.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace {

using Json = nlohmann::ordered_json;

std::string update_text(Index update, const RunLength& length) {
  return fmt::format("update {:>{}}", with_commas(update), length.updates > 0 ? with_commas(length.updates).size() : 7);
}

std::string epoch_text(Index epoch, const RunLength& length) {
  if (length.epochs <= 0) return fmt::format("epoch {:>4}", epoch);
  const std::string last = std::to_string(length.epochs);
  return fmt::format("epoch {:>{}}/{}", epoch, last.size(), last);
}

/// Visits the keys of a line in order, each with its member: one list for both writing and reading.
template <class Figures, class Visit>
void visit_members(Figures& f, const Visit& visit) {
  visit("update", f.update);
  visit("epoch", f.epoch);
  visit("loss", f.loss);
  visit("perplexity", f.perplexity);
  if constexpr (requires { f.gradient_norm; }) {
    visit("gradient_norm", f.gradient_norm);
    visit("learning_rate", f.learning_rate);
    visit("skipped", f.skipped);
    visit("source_tokens_per_second", f.source_tokens_per_second);
    visit("target_tokens_per_second", f.target_tokens_per_second);
    visit("padding_share", f.padding_share);
    visit("minutes", f.minutes);
    visit("minutes_left", f.minutes_left);
  } else {
    visit("token_accuracy", f.token_accuracy);
    visit("bleu", f.bleu);
    visit("exact_match", f.exact_match);
    visit("minutes", f.minutes);
    visit("best", f.best);
  }
}

std::string to_line(const char* kind, const auto& figures) {
  Json json{{"kind", kind}};
  visit_members(figures, [&json](const char* name, const auto& value) { json[name] = value; });
  if (json.contains("minutes_left") && json["minutes_left"] < 0) json["minutes_left"] = nullptr;
  return json.dump() + '\n';  // turns NaN and infinity into null
}

template <class Figures>
Figures from_json(const Json& json) {
  Figures figures;
  visit_members(figures, [&json](std::string_view name, auto& value) {
    if (name == "skipped" && !json.contains(name)) return;  // early versions did not write it
    const Json& field = json.at(name);
    if constexpr (std::is_same_v<decltype(value), double&>) {
      if (field.is_null()) {
        value = name == "minutes_left" ? -1 : std::numeric_limits<double>::quiet_NaN();
        return;
      }
    }
    field.get_to(value);
  });
  return figures;
}

constexpr std::uintmax_t kLongestMetrics = 1U << 30;  // bytes

/// Calls use(line, json) for each line, except an unterminated last line.
void for_each_line(const std::filesystem::path& file, const std::function<void(const std::string&, const Json&)>& use) {
  std::istringstream in(read_checkpoint_file(file, kLongestMetrics));  // std::ifstream would take an error for the end
  std::string line;
  for (Index number = 1; std::getline(in, line); ++number) {
    if (in.eof()) return;
    try {
      use(line, Json::parse(line));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw UserError(file.string() + ":" + std::to_string(number) +
                      ": expected a JSON object of training or validation figures, found \"" + brief(line, 60) +
                      "\" (" + brief(error.what(), 200) + "). Delete this line, or the whole file.");
    }
  }
}

}  // namespace

std::string with_commas(Index number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > first_digit + 3;) text.insert(end -= 3, ",");
  return text;
}

std::string fit_number(double value, int width, int decimals) {
  if (std::isnan(value)) return fmt::format("{:>{}}", "nan", width);  // without a sign
  for (int places = decimals; places >= 0; --places) {
    std::string text = fmt::format("{:>{}.{}f}", value, width, places);
    if (text.size() <= static_cast<std::size_t>(width)) return text;
  }
  return fmt::format("{:>{}.0e}", value, width);
}

std::string short_count(double value) {
  if (!(value >= 0 && value < 999.5e6)) return "    -";
  if (value < 999.5) return fmt::format("{:5.0f}", value);
  if (value < 999.5e3) return fit_number(value / 1e3, 4, 1) + 'k';
  return fit_number(value / 1e6, 4, 2) + 'M';
}

std::string short_time(double minutes) {
  if (!(minutes >= 0 && minutes < 1e6)) return "    -";
  const auto seconds = static_cast<Index>(std::llround(minutes * 60));
  const Index whole_minutes = seconds / 60, hours = whole_minutes / 60;
  const auto two_units = [](Index large, char large_unit, Index small, char small_unit) {
    return fmt::format("{:>5}", fmt::format("{}{}{:02}{}", large, large_unit, small, small_unit));
  };
  if (seconds < 60) return fmt::format("{:4}s", seconds);
  if (hours < 1) return two_units(whole_minutes, 'm', seconds % 60, 's');
  if (hours < 24) return two_units(hours, 'h', whole_minutes % 60, 'm');
  return two_units(hours / 24, 'd', hours % 24, 'h');
}

std::string training_line(const TrainingFigures& figures, const RunLength& length, int width) {
  // The higher a column's rank, the sooner it is dropped.
  const std::vector<std::pair<int, std::string>> columns = {
      {0, update_text(figures.update, length)},
      {3, epoch_text(figures.epoch, length)},
      {1, "loss " + fit_number(figures.loss, 7, 4)},
      {5, "ppl " + fit_number(figures.perplexity, 7, 2)},
      {6, "grad " + fit_number(figures.gradient_norm, 6, 2)},
      {8, fmt::format("rate {:>7.1e}", figures.learning_rate)},
      {7, "source " + short_count(figures.source_tokens_per_second) + "/s"},
      {4, "target " + short_count(figures.target_tokens_per_second) + "/s"},
      {9, "padding " + fit_number(100 * figures.padding_share, 4, 1) + '%'},
      {2, "left " + short_time(figures.minutes_left)},
  };
  for (int ranks = 10;; --ranks) {
    std::string line;
    for (const auto& [rank, text] : columns)
      if (rank < ranks) line += (line.empty() ? "" : "  ") + text;
    if (static_cast<int>(line.size()) <= width || ranks == 2) return line;
  }
}

std::string validation_line(const ValidationFigures& figures, const RunLength& length) {
  std::string line =
      fmt::format("{}  {:<{}}  loss {}  ppl {}  token accuracy {} %", update_text(figures.update, length), "validation",
                  epoch_text(figures.epoch, length).size(), fit_number(figures.loss, 7, 4),
                  fit_number(figures.perplexity, 7, 2), fit_number(100 * figures.token_accuracy, 5, 1));
  if (!std::isnan(figures.bleu)) line += "  BLEU " + fit_number(figures.bleu, 6, 2);
  if (!std::isnan(figures.exact_match)) line += "  exact match " + fit_number(100 * figures.exact_match, 5, 1) + " %";
  return line + (figures.best ? "  best so far" : "");
}

Metrics read_metrics(const std::filesystem::path& file) {
  Metrics metrics;
  for_each_line(file, [&](const std::string&, const Json& json) {
    const std::string kind = json.at("kind");
    if (kind == "train") return metrics.training.push_back(from_json<TrainingFigures>(json));
    if (kind == "validation") return metrics.validation.push_back(from_json<ValidationFigures>(json));
    throw std::invalid_argument("unknown kind " + kind);
  });
  return metrics;
}

MetricsFile::MetricsFile(std::filesystem::path file) : file_(std::move(file)) { append(""); }

void MetricsFile::truncate_after(Index update) const {
  if (file_.empty()) return;
  std::string kept;
  for_each_line(file_, [&](const std::string& line, const Json& json) {
    if (json.at("update").get<Index>() <= update) kept += line + '\n';
  });
  if (kept.size() != std::filesystem::file_size(file_)) write_file_durably(file_, kept);
}

void MetricsFile::append(const TrainingFigures& figures) const { append(to_line("train", figures)); }
void MetricsFile::append(const ValidationFigures& figures) const { append(to_line("validation", figures)); }

void MetricsFile::append(const std::string& text) const {
  if (file_.empty()) return;
  Descriptor(file_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW).write(std::as_bytes(std::span(text)));
}

}  // namespace glassformer

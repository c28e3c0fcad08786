#include "report/metrics.hpp"

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "files/durable_files.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

/// The keys of a line, in order, with the members that they stand for: one list for writing and reading.
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
  return json.dump();  // turns NaN and infinity into null
}

template <class Figures>
Figures from_json(const Json& json) {
  Figures figures;
  visit_members(figures, [&json](std::string_view name, auto& value) {
    if (name == "skipped" && !json.contains(name)) return;  // written by an early version
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

/// Calls `use(line, json)` for each whole line. A last line without an end is not one.
void for_each_line(const std::filesystem::path& file, const std::function<void(const std::string&, const Json&)>& use) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UserError(file.string() + ": cannot be read. It is written by `glassformer train`.");
  std::string line;
  for (Index number = 1; std::getline(in, line); ++number) {
    if (in.eof()) return;
    try {
      use(line, Json::parse(line));
    } catch (const std::exception& error) {
      throw UserError(file.string() + ":" + std::to_string(number) +
                      ": expected a JSON object of training or validation figures, found \"" + line.substr(0, 60) +
                      "\" (" + error.what() + "). Delete this line, or the whole file.");
    }
  }
}

}  // namespace

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

MetricsFile::MetricsFile(std::filesystem::path file) : file_(std::move(file)) { open(); }

void MetricsFile::open() {
  if (file_.empty()) return;
  out_.open(file_, std::ios::app | std::ios::binary);
  if (!out_) throw UserError(file_.string() + ": cannot be opened for writing. May you write in the run directory?");
}

void MetricsFile::truncate_after(Index update) {
  if (file_.empty()) return;
  std::string kept;
  for_each_line(file_, [&](const std::string& line, const Json& json) {
    if (json.at("update").get<Index>() <= update) kept += line + '\n';
  });
  if (kept.size() == std::filesystem::file_size(file_)) return;
  out_.close();
  write_file_durably(file_, kept);
  open();
}

void MetricsFile::append(const TrainingFigures& figures) { append_line(to_line("train", figures)); }
void MetricsFile::append(const ValidationFigures& figures) { append_line(to_line("validation", figures)); }

void MetricsFile::append_line(const std::string& line) {
  if (file_.empty()) return;
  out_ << line << std::endl;
  if (!out_) throw UserError(file_.string() + ": cannot be written. Is the disk full?");
}

}  // namespace glassformer

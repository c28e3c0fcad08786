#include "report/event_file.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/metrics.hpp"
#include "user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// TensorBoard reads a run's files in the order of their names, which hold the second of their beginning. Each gets a
/// later one than those that are there, however soon a run was resumed, and even if the clock was set back.
fs::path next_file(const fs::path& directory) {
  const std::string beginning = "events.out.tfevents.";  // by "tfevents" TensorBoard knows them
  auto second = static_cast<Index>(seconds_since_1970());
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning)) continue;
    Index earlier = 0;
    std::from_chars(name.data() + beginning.size(), name.data() + name.size(), earlier);
    second = std::max(second, earlier + 1);
  }
  return directory / (beginning + std::to_string(second) + ".glassformer");
}

/// Indented by four columns, text is shown as it is, whatever it means in Markdown.
std::string literally(const std::string& text) { return "    " + text; }

Event::TextTable table_of(const std::vector<SampleTranslation>& samples) {
  if (samples.empty()) return {};
  Event::TextTable table{"validation/samples", 3, {"source", "reference", "translation"}};
  for (const SampleTranslation& sample : samples) {
    for (const std::string* cell : {&sample.source, &sample.reference, &sample.translation}) {
      table.cells.push_back(literally(*cell));
    }
  }
  return table;
}

}  // namespace

EventFile::EventFile(const fs::path& directory, Index update) : file_(directory) {
  open(directory);
  write({.file_version = "brain.Event:2"});
  write({.step = update + 1, .starts_session = true});
}

void EventFile::open(const fs::path& directory) try {
  fs::create_directories(directory);
  file_ = next_file(directory);
  errno = 0;
  out_.open(file_, std::ios::binary);
  if (!out_) give_up(system_reason());
} catch (const fs::filesystem_error& error) {
  give_up(error.code().message());
}

void EventFile::append(const TrainingFigures& figures) {
  append_figures(figures_json(figures), {.step = figures.update});
}

void EventFile::append(const ValidationFigures& figures, const std::vector<SampleTranslation>& samples) {
  append_figures(figures_json(figures), {.step = figures.update, .text = table_of(samples)});
}

void EventFile::append_figures(const nlohmann::ordered_json& figures, Event event) {
  const std::string prefix = figures.at("kind").get<std::string>() + "/";
  for (const auto& [name, figure] : figures.items()) {
    if (!figure.is_number() || name == "update") continue;
    const auto value = figure.get<float>();
    if (std::isfinite(value)) event.scalars.push_back({prefix + name, value});
  }
  write(std::move(event));
}

void EventFile::write(Event event) {
  if (!out_.is_open()) return;
  event.wall_time = seconds_since_1970();
  const std::string record = event_record(event);
  errno = 0;
  out_.write(record.data(), static_cast<std::streamsize>(record.size())).flush();
  if (!out_) give_up(system_reason());
}

void EventFile::give_up(const std::string& reason) {
  out_.close();
  spdlog::warn("{}: the training goes on without TensorBoard's event file: {}", file_.string(), reason);
}

}  // namespace glassformer

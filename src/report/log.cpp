#include "report/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "report/figure_text.hpp"
#include "report/json_log.hpp"
#include "report/metrics.hpp"
#include "user_error.hpp"

namespace glassformer {

namespace {

/// "%*" in a pattern: nothing before an ordinary message, "warning: " or "error: " before others.
class Mark : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    std::string_view mark;
    if (message.level == spdlog::level::warn) mark = "warning: ";
    if (message.level >= spdlog::level::err) mark = "error: ";
    out.append(mark.data(), mark.data() + mark.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Mark>(); }
};

std::unique_ptr<spdlog::formatter> make_formatter(std::string pattern, std::string end_of_line) {
  auto formatter =
      std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::local, std::move(end_of_line));
  formatter->add_flag<Mark>('*').set_pattern(std::move(pattern));
  return formatter;
}

/// Hands log lines to the display, which keeps them apart from the line that rewrites itself.
class DisplaySink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit DisplaySink(std::shared_ptr<ProgressDisplay> display)
      : base_sink(display->format() == LogFormat::json ? json_formatter() : make_formatter("%H:%M:%S  %*%v", "")),
        display_(std::move(display)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    display_->line({text.data(), text.size()});
  }
  void flush_() override {}

  std::shared_ptr<ProgressDisplay> display_;
};

std::shared_ptr<spdlog::sinks::sink> open_file_sink(const std::filesystem::path& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    sink->set_formatter(make_formatter("%Y-%m-%d %H:%M:%S  %*%v", "\n"));
    return sink;
  } catch (const spdlog::spdlog_ex& error) {
    throw UserError(file.string() + ": the run's log cannot be opened for writing (" + error.what() +
                    "). Check that the run directory exists and is yours to write in.");
  }
}

}  // namespace

void log_nowhere() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("")); }

void log_to_standard_error() {
  auto display = std::make_shared<ProgressDisplay>(standard_error());
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<DisplaySink>(std::move(display))));
}

RunLog::RunLog(const std::filesystem::path& run_directory, RunLength length, DisplayTarget target)
    : length_(length),
      display_(std::make_shared<ProgressDisplay>(run_directory.empty() ? DisplayTarget{} : std::move(target))),
      previous_(spdlog::default_logger()) {
  std::signal(SIGPIPE, SIG_IGN);
  if (run_directory.empty()) {
    log_nowhere();
    logger_ = spdlog::default_logger();
    return;
  }
  const auto file_sink = open_file_sink(run_directory / "train.log");
  const auto display_sink = std::make_shared<DisplaySink>(display_);
  // Lines of training figures are debug messages: a terminal shows them as its live line already.
  display_sink->set_level(display_->is_terminal() ? spdlog::level::info : spdlog::level::debug);
  logger_ = std::make_shared<spdlog::logger>("", spdlog::sinks_init_list{display_sink, file_sink});
  logger_->set_level(spdlog::level::debug);
  logger_->flush_on(spdlog::level::debug);
  logger_->set_error_handler([display_sink, told = false](const std::string& what) mutable {
    if (std::exchange(told, true)) return;
    display_sink->log({"", spdlog::level::warn, "train.log is incomplete from here on: " + what});
  });
  spdlog::set_default_logger(logger_);
}

RunLog::~RunLog() {
  display_->finish();
  spdlog::set_default_logger(previous_);
}

void RunLog::training(const TrainingFigures& figures, bool due) {
  if (due) tell(spdlog::level::debug, training_line(figures, length_), figures_json(figures));
  latest_ = figures;
  draw(figures);
}

void RunLog::tell(spdlog::level::level_enum level, const std::string& line, const nlohmann::ordered_json& figures) {
  const LogFields fields(figures);
  logger_->log(level, line);
}

void RunLog::draw(const TrainingFigures& figures) {
  display_->draw([figures, length = length_](int width) { return training_line(figures, length, width); });
}

void RunLog::status(std::string text) { display_->draw(std::move(text)); }

void RunLog::validation(const ValidationFigures& figures, const std::vector<SampleTranslation>& samples) {
  if (latest_) draw(*latest_);  // in place of "validating ..."
  tell(spdlog::level::info, validation_line(figures, length_), figures_json(figures));
  for (const SampleTranslation& sample : samples) {
    logger_->info("    source       {}", sample.source);
    logger_->info("    reference    {}", sample.reference);
    logger_->info("    translation  {}", sample.translation);
  }
}

}  // namespace glassformer

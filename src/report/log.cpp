#include "glassformer/report/log.hpp"

#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/utf8.hpp"

namespace glassformer {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";  // to the first column, erase from there to the end

/// "%*" in a pattern: the message, after "warning: " or "error: " if it is one.
class Message : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    std::string_view mark;
    if (message.level == spdlog::level::warn) {
      mark = "warning: ";
    }
    if (message.level >= spdlog::level::err) {
      mark = "error: ";
    }
    out.append(mark);
    out.append(visible({message.payload.data(), message.payload.size()}));
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Message>(); }
};

void set_pattern(spdlog::sinks::sink& sink, std::string pattern, std::string end_of_line) {
  const auto local = spdlog::pattern_time_type::local;
  auto formatter = std::make_unique<spdlog::pattern_formatter>(local, std::move(end_of_line));
  formatter->add_flag<Message>('*').set_pattern(std::move(pattern));
  sink.set_formatter(std::move(formatter));
}

std::shared_ptr<ProgressDisplay> make_display(DisplayTarget target) {
  auto display = std::make_shared<ProgressDisplay>(std::move(target));
  set_pattern(*display, "%H:%M:%S  %*", "");
  return display;
}

spdlog::sink_ptr open_file(const std::filesystem::path& file) {
  Descriptor(file, O_WRONLY | O_CREAT | O_APPEND).close();  // throws a good message if the file cannot be opened
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
  set_pattern(*sink, "%Y-%m-%d %H:%M:%S  %*", "\n");
  return sink;
}

}  // namespace

DisplayTarget standard_error() {
  const auto write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  const auto columns = [] {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  };
  const char* const kind = std::getenv("TERM");
  const bool can_rewrite_lines = isatty(STDERR_FILENO) && !(kind && std::string_view(kind) == "dumb");
  return {can_rewrite_lines, write, columns};
}

void ProgressDisplay::draw(std::string text, bool at_once) {
  const std::lock_guard lock(mutex_);
  if (!target_.terminal) {
    return;
  }
  live_ = std::move(text);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_ && !at_once) {
    return;
  }
  target_.write(live_line());
  next_ = now + target_.interval;
}

void ProgressDisplay::finish() {
  const std::lock_guard lock(mutex_);
  if (!live_.empty()) {
    target_.write(live_line() + "\n");
  }
  live_.clear();
}

void ProgressDisplay::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t text;
  formatter_->format(message, text);
  // One write, so that no other program's output comes between the line and the live line below it.
  std::string out(live_.empty() ? "" : kEraseLine);
  out.append(text.data(), text.size()).append("\n");
  target_.write(live_.empty() ? out : out + live_line());
}

std::string ProgressDisplay::live_line() const {
  const auto columns = static_cast<std::size_t>(std::max(width(), 1));
  return std::string(kEraseLine).append(first_characters(live_, columns));
}

void disable_log() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("")); }

void log_to_standard_error() {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("", make_display(standard_error())));
}

RunLog::RunLog(const std::filesystem::path& run_directory, RunLength length, DisplayTarget target)
    : length_(length),
      display_(make_display(run_directory.empty() ? DisplayTarget{} : std::move(target))),
      logger_(std::make_shared<spdlog::logger>("")),
      previous_(spdlog::default_logger()) {
  std::signal(SIGPIPE, SIG_IGN);
  if (!run_directory.empty()) {
    logger_->sinks() = {display_, open_file(run_directory / "train.log")};
  }
  // Training metrics are debug messages; a terminal shows them as its live line.
  display_->set_level(display_->is_terminal() ? spdlog::level::info : spdlog::level::debug);
  logger_->set_level(spdlog::level::debug);
  logger_->flush_on(spdlog::level::debug);
  logger_->set_error_handler([display = display_, warned = false](const std::string& what) mutable {
    if (!warned) {
      display->log({"", spdlog::level::warn, "train.log is incomplete from here on: " + what});
    }
    warned = true;  // only now: if memory has run out, spdlog calls this again, and what that throws reaches the caller
  });
  spdlog::set_default_logger(logger_);
}

RunLog::~RunLog() {
  display_->finish();
  spdlog::set_default_logger(previous_);
}

void RunLog::training(const TrainingMetrics& metrics, bool due) {
  if (due) {
    logger_->debug(training_line(metrics, length_));
  }
  if (!display_->is_terminal()) {
    return;
  }
  latest_ = training_line(metrics, length_, display_->width());
  display_->draw(latest_);
}

void RunLog::status(std::string text) { display_->draw(std::move(text), true); }

void RunLog::validation(const ValidationMetrics& metrics, const std::vector<SampleTranslation>& samples) {
  status(latest_);  // in place of "validating ..."
  logger_->info(validation_line(metrics, length_));
  for (const SampleTranslation& sample : samples) {
    logger_->info("    source       {}", sample.source);
    logger_->info("    reference    {}", sample.reference);
    logger_->info("    translation  {}", sample.translation);
  }
}

}  // namespace glassformer

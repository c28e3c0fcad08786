#pragma once

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "glassformer/report/metric_lines.hpp"
#include "glassformer/report/metrics.hpp"

namespace glassformer {

/// One sentence of the validation text with the model's translation.
struct SampleTranslation {
  std::string source, reference, translation;
};

/// Where a display writes.
struct DisplayTarget {
  bool terminal = false;                             ///< false: a pipe or a file, where lines cannot be rewritten
  std::function<void(std::string_view text)> write;  ///< if it fails (a closed pipe), the program continues
  std::function<int()> width;                        ///< in columns; called each time, because windows change
  std::chrono::milliseconds interval{100};           ///< minimum time between redraws of the live line
};

/// Standard error. If the terminal does not report its width, 80 columns.
DisplayTarget standard_error();

/// Shows ordinary log lines and, on a terminal, one live line below them. Thread-safe.
class ProgressDisplay final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ProgressDisplay(DisplayTarget target) : target_(std::move(target)) {}

  bool is_terminal() const { return target_.terminal; }
  int width() const { return target_.width() - 1; }  ///< a character in the last column may start a new line

  /// Makes `text` the live line ("": none). Redraws it if the interval since the last redraw has passed, or `at_once`.
  void draw(std::string text, bool at_once = false);
  /// Turns the live line into an ordinary line.
  void finish();

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}
  std::string live_line() const;

  DisplayTarget target_;
  std::string live_;
  std::chrono::steady_clock::time_point next_;
};

void log_to_standard_error();  ///< main calls this first; standard output is for results
void disable_log();            ///< for ranks other than the first

/// The log of a training run. While it exists, everything logged with spdlog goes to the display and to the run's
/// train.log. On a terminal, training metrics are the live line; in a pipe and in train.log, they are ordinary lines.
class RunLog {
 public:
  /// Appends to `run_directory`/train.log; without a path, nothing is logged. A broken pipe no longer ends the program.
  /// \throws UserError: the file cannot be opened
  RunLog(const std::filesystem::path& run_directory, RunLength length, DisplayTarget target = standard_error());
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Call it after each update. `due`: this update gets an ordinary line.
  void training(const TrainingMetrics& metrics, bool due);
  /// Sets what a terminal shows while there are no new metrics, such as "validating ...".
  void status(std::string text);
  /// Logs a line of metrics, and three lines for each sample.
  void validation(const ValidationMetrics& metrics, const std::vector<SampleTranslation>& samples);

 private:
  RunLength length_;
  std::string latest_;  // live line
  std::shared_ptr<ProgressDisplay> display_;
  std::shared_ptr<spdlog::logger> logger_, previous_;
};

}  // namespace glassformer

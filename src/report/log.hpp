#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "report/figures.hpp"
#include "report/progress.hpp"

namespace spdlog {
class logger;
}

namespace glassformer {

/// For main, before anything else: spdlog::info and so on write to standard error; standard output is for results.
void log_to_standard_error();
/// From now on they write nothing.
void log_nowhere();

/// The log of a training run. While it lives, everything logged from anywhere (spdlog::info, spdlog::warn, ...) goes to
/// the display and to the run's train.log; afterwards to where it went before. On a terminal, training figures are the
/// live line; in a pipe, and always in train.log, they are ordinary lines.
class RunLog {
 public:
  /// Appends to `run_directory`/train.log; without a path, nothing is logged anywhere. From now on a broken pipe is an
  /// error code, not the end of the program.
  /// \throws UserError: the file cannot be opened
  RunLog(const std::filesystem::path& run_directory, RunLength length, DisplayTarget target = standard_error());
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// To be called after each update. `due`: this one gets an ordinary line.
  void training(const TrainingFigures& figures, bool due);
  /// What a terminal shows while there are no figures, such as "validating ...".
  void status(std::string text);
  /// A line of figures and three lines for each sample.
  void validation(const ValidationFigures& figures, const std::vector<SampleTranslation>& samples);

 private:
  RunLength length_;
  std::string latest_;  // live line
  std::shared_ptr<ProgressDisplay> display_;
  std::shared_ptr<spdlog::logger> logger_, previous_;
};

}  // namespace glassformer

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/figures.hpp"
#include "report/progress.hpp"

namespace spdlog {
class logger;
}

namespace glassformer {

/// For main, before anything else: spdlog::info and its kin write to standard error, in log_format(), so that standard
/// output belongs to translations alone.
void log_to_standard_error();
/// From now on these say nothing.
void log_nowhere();

/// What a training run says. While it lives, everything logged (spdlog::info, spdlog::warn, ... from any room)
/// goes to standard error and to the run's train.log. Training figures are on a terminal one line that rewrites
/// itself; in a pipe, and always in train.log, they are plain lines. train.log is for people: it is text even where
/// standard error gets JSON, and metrics.jsonl has the figures. Afterwards the log is what it was before.
class RunLog {
 public:
  /// Appends to `run_directory`/train.log; without a path, nothing is said anywhere. From now on a broken pipe is an
  /// error code and ends no program.
  /// \throws UserError when the file cannot be opened
  RunLog(const std::filesystem::path& run_directory, RunLength length, DisplayTarget target = standard_error());
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// After each update. `due`: this one gets its plain line.
  void training(const TrainingFigures& figures, bool due);
  /// What a terminal shows in place of the figures while there are none, such as "validating ...".
  void status(std::string text);
  /// A line of figures and three lines for each sample.
  void validation(const ValidationFigures& figures, const std::vector<SampleTranslation>& samples);

 private:
  void tell(spdlog::level::level_enum level, const std::string& line, const nlohmann::ordered_json& figures);
  void draw(const TrainingFigures& figures);

  RunLength length_;
  std::optional<TrainingFigures> latest_;
  std::shared_ptr<ProgressDisplay> display_;
  std::shared_ptr<spdlog::logger> logger_, previous_;
};

}  // namespace glassformer

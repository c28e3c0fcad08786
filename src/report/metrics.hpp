#pragma once

#include <filesystem>
#include <limits>
#include <string>

#include "glassformer/batching/batch.hpp"
#include "glassformer/numerics/matrix.hpp"

/// The metrics of a training run for the log and metrics.jsonl. A metric that was not computed is NaN.
namespace glassformer {

/// The share of the cells that is padding, 0 to 1.
double padding_share(const TokenCount& tokens);

/// Means over the updates since the last log line. Skipped updates do not count.
struct TrainingMetrics {
  Index update = 0;
  Index epoch = 1;           ///< from 1
  double loss = 0;           ///< the objective (label smoothing included) per target token
  double perplexity = 0;     ///< exp of the plain cross-entropy per target token
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
  Index skipped = 0;  ///< updates since the run started whose loss or gradient was not finite
  double source_tokens_per_second = 0;
  double target_tokens_per_second = 0;
  double padding_share = 0;  ///< padded positions / all positions, 0 to 1
  double minutes = 0;        ///< since the run started, without interruptions
  double minutes_left = -1;  ///< negative: unknown

  bool operator==(const TrainingMetrics&) const = default;
};

/// The metrics of one pass over the validation text.
struct ValidationMetrics {
  Index update = 0;
  Index epoch = 1;
  double loss = 0;  ///< plain cross-entropy per target token
  double perplexity = 0;
  double token_accuracy = 0;                                      ///< 0 to 1, teacher-forced
  double bleu = std::numeric_limits<double>::quiet_NaN();         ///< 0 to 100, of greedy translations
  double exact_match = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1, of greedy translations
  double minutes = 0;                                             ///< since the run started
  bool best = false;                                              ///< better than every validation before it

  bool operator==(const ValidationMetrics&) const = default;
};

/// One sentence of the validation text with the model's translation.
struct SampleTranslation {
  std::string source, reference, translation;
};

/// When a run ends. 0: no limit.
struct RunLength {
  Index updates = 0, epochs = 0;
};

// Numbers as text of constant width, so that log lines form columns.

/// 1234567 as "1,234,567".
std::string with_commas(Index number);
/// Right-aligned in `width` columns, with `decimals` decimal places, or as many as fit.
std::string fit_number(double value, int width, int decimals);
/// Tokens per second in five columns: "  987", "12.3k", " 123k", "1.23M".
std::string short_count(double value);
/// A span of time in five columns: "  45s", "1m40s", "2h03m", "3d04h"; "    -" if negative (unknown).
std::string short_time(double minutes);
/// The log line for training. If it is wider than `width`, the less important columns are dropped; update and loss
/// always stay.
std::string training_line(const TrainingMetrics& metrics, const RunLength& length,
                          int width = std::numeric_limits<int>::max());
/// The log line for validation. Metrics that the training line also has are in the same columns.
std::string validation_line(const ValidationMetrics& metrics, const RunLength& length);

/// Writes metrics.jsonl, or another file of one JSON object per line. In metrics.jsonl, each line is a JSON object,
/// {"kind":"train", ...} or {"kind":"validation", ...}, whose other keys are the names of the metrics. NaN, infinity
/// and an unknown time left are null. All members throw as throw_disk_error() does.
class MetricsFile {
 public:
  /// With an empty path, nothing is written.
  explicit MetricsFile(std::filesystem::path file) : file_(std::move(file)) {}

  /// Drops what a resumed run will recompute: lines of later updates, and an unterminated last line. -1 drops all.
  /// \throws UserError: a line does not hold metrics (the message names it)
  void truncate_after(Index update) const;
  void append(const TrainingMetrics& metrics) const;
  void append(const ValidationMetrics& metrics) const;
  void append(const std::string& line) const;  ///< a JSON object with "update", and a newline

 private:
  std::filesystem::path file_;
};

}  // namespace glassformer

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// A point of a curve. A value that is NaN or infinite leaves a gap in the curve.
struct CurvePoint {
  Index update = 0;
  double value = 0;
};

/// The curves of a run, each sorted by update.
struct RunCurves {
  std::vector<CurvePoint> training_loss;    ///< cross-entropy per target token, without label smoothing
  std::vector<CurvePoint> validation_loss;  ///< the same for the validation text
  std::vector<CurvePoint> token_accuracy;   ///< 0 to 100
  std::vector<CurvePoint> bleu;             ///< 0 to 100
  std::vector<CurvePoint> exact_match;      ///< 0 to 100
  Index last_update = 0;
  Index best_update = 0;  ///< of the best validation; 0: none yet

  /// Adds the metrics in a line of metrics.jsonl. A metric that is missing or null leaves a gap; a line that is not
  /// such a JSON object is ignored.
  void add(const std::string& line);
};

inline constexpr const char* kCurvesFile = "curves.svg";  ///< in a run's directory
/// Every such picture begins like this.
inline constexpr std::string_view kCurvesBeginning =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 624">)";

/// The curves as an SVG picture, against updates: at the top, the losses; below, the other validation metrics.
std::string curves_svg(const RunCurves& curves);

/// Keeps a run's curves.svg up to date. The metrics come from metrics.jsonl, so a resumed run keeps its curves.
class CurvesPicture {
 public:
  /// Reads what was appended to the file `metrics` since the last call, and replaces the file `picture`, unless that
  /// path is empty. A picture is not worth a run: if this fails, the log gets a warning, but only the
  /// first time, and the next call tries again.
  void update(const std::filesystem::path& metrics, const std::filesystem::path& picture);

 private:
  void read_new_lines(const std::filesystem::path& metrics);

  RunCurves curves_;
  std::uintmax_t bytes_read_ = 0;  // of metrics.jsonl
  bool has_warned_ = false;
};

}  // namespace glassformer

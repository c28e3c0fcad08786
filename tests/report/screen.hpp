#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "glassformer/report/log.hpp"
#include "glassformer/report/metrics.hpp"
#include "temporary_directory.hpp"

namespace glassformer {

/// Figures as they may be in the middle of a run, for tests.
inline TrainingMetrics some_figures() {
  return {.update = 1200,
          .epoch = 3,
          .loss = 2.1345,
          .perplexity = 8.45,
          .gradient_norm = 0.91,
          .learning_rate = 1.2e-3,
          .source_tokens_per_second = 12345,
          .target_tokens_per_second = 11800,
          .padding_share = 0.1,
          .minutes = 2,
          .minutes_left = 1 + 40.0 / 60};
}

/// A terminal or a pipe that remembers what was written.
struct Screen {
  std::string written;
  int width = 200;

  DisplayTarget target(bool terminal, std::chrono::milliseconds interval = std::chrono::milliseconds(0)) {
    const auto write = [this](std::string_view text) { written += text; };
    return {terminal, write, [this] { return width; }, interval};
  }

  /// What you would see: each line after all carriage returns and erasures. If a shorter text overwrites a longer one
  /// without erasing it, the end of the longer one remains visible.
  std::vector<std::string> lines() const {
    std::vector<std::string> seen{""};
    std::size_t column = 0;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i] == '\n') {
        seen.emplace_back();
        column = 0;
      } else if (written[i] == '\r') {
        column = 0;
      } else if (written.compare(i, 3, "\x1b[K") == 0) {
        seen.back().resize(column);
        i += 2;
      } else {
        seen.back().resize(std::max(seen.back().size(), column + 1));
        seen.back()[column++] = written[i];
      }
    }
    return seen;
  }
};

using test::contains;

}  // namespace glassformer

#pragma once

#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace glassformer {

/// Where a display writes, and what it knows of that place.
struct DisplayTarget {
  bool terminal = false;                             ///< false: a pipe or a file, where no line can be rewritten
  std::function<void(std::string_view text)> write;  ///< if it fails (a closed pipe), the program goes on
  std::function<int()> width;                        ///< in columns; asked again each time, as windows change
  std::chrono::milliseconds interval{100};           ///< the line is redrawn at most once in this time
};

/// The width in columns of what a file descriptor writes to: the terminal's, else COLUMNS, else 80.
int columns_of(int descriptor);

/// Standard error.
DisplayTarget standard_error();

/// Where the log is shown: ordinary lines and, on a terminal, one live line below them that rewrites itself. Any thread
/// may call.
class ProgressDisplay final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ProgressDisplay(DisplayTarget target) : target_(std::move(target)) {}

  bool is_terminal() const { return target_.terminal; }
  int width() const { return target_.width() - 1; }  ///< a character in the last column may begin a new line

  /// Shows `text` as the live line ("": none): when the interval since the last drawing is over, or `at_once`.
  void draw(std::string text, bool at_once = false);
  /// Leaves the live line standing as an ordinary line.
  void finish();

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}
  std::string live_line() const;

  DisplayTarget target_;
  std::string live_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace glassformer

#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

#include "report/json_log.hpp"

namespace glassformer {

/// Where a display writes, and what it knows of that place.
struct DisplayTarget {
  bool terminal = false;  ///< false: a pipe or a file, where no line can be rewritten
  std::function<bool(std::string_view text)> write;  ///< false: nobody listens any more
  std::function<int()> width;                        ///< columns; asked before each drawing, windows change
  std::chrono::milliseconds interval{100};           ///< the line is redrawn at most once in this time
  LogFormat format = LogFormat::text;                ///< of the lines of the log
};

/// How many columns lines written to a file descriptor have: the terminal's, else COLUMNS, else 80.
int columns_of(int descriptor);

/// Standard error, in log_format(): in JSON no line is rewritten, nor on a terminal that can do no more than print
/// (TERM=dumb). A terminal's width comes from the terminal itself, else from COLUMNS, else it is 80.
DisplayTarget standard_error();

/// Ordinary lines, and on a terminal below them one live line which rewrites itself. The two do not damage each
/// other as long as every line goes through here. Any thread may call. When the other end of a pipe is closed,
/// the display falls silent and the program goes on.
class ProgressDisplay {
 public:
  /// Makes the live line for so many columns.
  using LiveLine = std::function<std::string(int width)>;

  explicit ProgressDisplay(DisplayTarget target) : target_(std::move(target)) {}
  ~ProgressDisplay() { finish(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  bool is_terminal() const { return target_.terminal; }
  LogFormat format() const { return target_.format; }

  /// Shows the live line from now on; drawn at once unless it was drawn a moment ago. Without a terminal:
  /// nothing.
  void draw(LiveLine live);
  /// Shows a passing text ("validating ...") in the live line's place, at once.
  void draw(std::string text);
  /// Writes a line of its own, above the live line. `text` has no newline.
  void line(std::string_view text);
  /// Draws the live line a last time and leaves it standing as an ordinary line; a passing text is erased.
  void finish();

 private:
  std::string drawn_live_line() const;
  void write(std::string_view text);

  DisplayTarget target_;
  std::mutex mutex_;
  LiveLine live_;
  bool passing_ = false;  // live_ is a passing text
  bool broken_ = false;
  bool ever_drawn_ = false;
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace glassformer

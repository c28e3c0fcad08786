#include "report/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace glassformer {

namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";  // to the first column, erase from there to the end

bool can_rewrite_lines() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && !(kind && std::string_view(kind) == "dumb");
}

/// The first `width` characters of UTF-8 text.
std::string cut(const std::string& text, int width) {
  int characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins_character && ++characters > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace

int columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const std::string_view digits = columns == nullptr ? "" : columns;
  int width = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), width);  // what is no number leaves 0
  return width > 0 ? width : 80;
}

DisplayTarget standard_error() {
  const auto write = [](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stderr) == text.size() && std::fflush(stderr) == 0;
  };
  return {log_format() == LogFormat::text && can_rewrite_lines(), write, [] { return columns_of(STDERR_FILENO); },
          std::chrono::milliseconds(100), log_format()};
}

void ProgressDisplay::draw(LiveLine live) {
  if (!target_.terminal) return;
  const std::lock_guard lock(mutex_);
  live_ = std::move(live);
  passing_ = false;
  const auto now = std::chrono::steady_clock::now();
  if (ever_drawn_ && now - last_drawn_ < target_.interval) return;
  write(drawn_live_line());
  last_drawn_ = now;
  ever_drawn_ = true;
}

void ProgressDisplay::draw(std::string text) {
  if (!target_.terminal) return;
  const std::lock_guard lock(mutex_);
  live_ = [text = std::move(text)](int) { return text; };
  passing_ = true;
  write(drawn_live_line());
}

void ProgressDisplay::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  // One write for all of it: no other program's output comes between the line and the live line below it.
  std::string out;
  if (live_) out += kEraseLine;
  out += text;
  out += '\n';
  if (live_) out += drawn_live_line();
  write(out);
}

void ProgressDisplay::finish() {
  const std::lock_guard lock(mutex_);
  if (!live_) return;
  write(passing_ ? std::string(kEraseLine) : drawn_live_line() + "\n");
  live_ = nullptr;
}

/// The last column stays free: a character there would make some terminals begin a new line.
std::string ProgressDisplay::drawn_live_line() const {
  const int width = std::max(target_.width() - 1, 1);
  return std::string(kEraseLine) + cut(live_(width), width);
}

void ProgressDisplay::write(std::string_view text) {
  if (!broken_ && !target_.write(text)) broken_ = true;
}

}  // namespace glassformer

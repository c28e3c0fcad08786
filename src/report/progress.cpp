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
  std::from_chars(digits.data(), digits.data() + digits.size(), width);  // leaves 0 if it is not a number
  return width > 0 ? width : 80;
}

DisplayTarget standard_error() {
  const auto write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  return {can_rewrite_lines(), write, [] { return columns_of(STDERR_FILENO); }};
}

void ProgressDisplay::draw(std::string text, bool at_once) {
  const std::lock_guard lock(mutex_);
  if (!target_.terminal) return;
  live_ = std::move(text);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_ && !at_once) return;
  target_.write(live_line());
  next_ = now + target_.interval;
}

void ProgressDisplay::finish() {
  const std::lock_guard lock(mutex_);
  if (!live_.empty()) target_.write(live_line() + "\n");
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

std::string ProgressDisplay::live_line() const { return std::string(kEraseLine) + cut(live_, std::max(width(), 1)); }

}  // namespace glassformer

#include "files/lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "files/utf8.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes read at once

std::FILE* open_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw UserError(file.string() + ": expected a file, found a directory; name a file inside it");
  }
  std::FILE* const opened = std::fopen(file.c_str(), "rb");
  if (opened == nullptr) {
    throw UserError(file.string() + ": expected a readable file, found none (" + system_reason() +
                    "); check the path");
  }
  return opened;
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& file) : LineReader(file, open_file(file)) {}

LineReader LineReader::of_standard_input() {
  std::FILE* const input = fdopen(dup(STDIN_FILENO), "rb");
  if (input == nullptr) {
    throw UserError("standard input: expected text, found that it is closed; name a file, or send text through a pipe");
  }
  return {"standard input", input};
}

bool LineReader::read_more() {
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kPiece);
  ssize_t count = 0;
  do {
    count = read(fileno(file_.get()), buffer_.data() + size, kPiece);
  } while (count < 0 && errno == EINTR);
  buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) throw UserError(name_.string() + ": reading failed (" + system_reason() + ")");
  return count > 0;
}

bool LineReader::has_whole_line() {
  searched_ = std::min(buffer_.find('\n', searched_), buffer_.size());
  return searched_ < buffer_.size();
}

bool LineReader::has_line_waiting() {
  while (!has_whole_line()) {
    pollfd waiting{fileno(file_.get()), POLLIN, 0};
    if (poll(&waiting, 1, 0) <= 0 || !read_more()) return false;
  }
  return true;
}

bool LineReader::next(std::string& line) {
  while (!has_whole_line() && read_more()) {
  }
  if (begin_ == buffer_.size()) return false;
  line.assign(buffer_, begin_, searched_ - begin_);
  begin_ = searched_ = std::min(searched_ + 1, buffer_.size());

  if (lines_read_ == 0 && line.starts_with(kByteOrderMark)) {
    line.erase(0, std::strlen(kByteOrderMark));
    if (line.empty() && begin_ == buffer_.size() && !buffer_.ends_with('\n')) return false;  // nothing but the mark
  }
  ++lines_read_;
  if (line.ends_with('\r')) line.pop_back();
  check(line);
  return true;
}

std::optional<std::string> utf8_fault(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const std::int32_t character = next_character(text, i);
    if (character > 0) continue;

    std::ostringstream fault;
    if (character == 0) {
      fault << "a NUL byte";
    } else {
      fault << "the byte 0x" << std::hex << std::uppercase
            << static_cast<int>(static_cast<unsigned char>(text[start])) << std::dec;
    }
    fault << " at byte " << start + 1;
    return fault.str();
  }
  return std::nullopt;
}

void LineReader::check(const std::string& line) const {
  if (const auto fault = utf8_fault(line)) {
    throw UserError(name_.string() + ':' + std::to_string(lines_read_) + ": expected UTF-8 text, found " + *fault +
                    " of the line; save the file as UTF-8");
  }
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  LineReader reader(file);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::fclose(open_file(file));  // for its messages
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw UserError(file.string() + ": reading failed before the end of the file");
  return bytes;
}

}  // namespace glassformer

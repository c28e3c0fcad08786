#include "glassformer/files/lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/text_format.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes read at once

/// \throws UserError: there is no such file (with a suggestion). If it cannot be opened: as throw_disk_error() does
std::unique_ptr<Descriptor> open_text(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::status(file, ignored).type() == std::filesystem::file_type::not_found) {
    throw UserError(file.string() + ": no such file; " + suggest_file(file));
  }
  return std::make_unique<Descriptor>(file, O_RDONLY);
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& file) : LineReader(open_text(file)) {}

LineReader::LineReader(std::unique_ptr<Descriptor> file) : file_(std::move(file)) {
  struct stat opened {};
  if (::fstat(file_->number(), &opened) == 0 && S_ISREG(opened.st_mode)) {
    left_ = opened.st_size - std::max<off_t>(0, ::lseek(file_->number(), 0, SEEK_CUR));
  }
}

LineReader LineReader::of_standard_input() {
  return LineReader(std::make_unique<Descriptor>(::dup(STDIN_FILENO), "standard input"));
}

void LineReader::check_first_line() const {
  if (const auto format = other_format(buffer_)) {
    throw UserError(path().string() + ": expected UTF-8 text, found " + *format);
  }
  const std::size_t cr = buffer_.find('\r');
  if (buffer_.find('\n') == std::string::npos && cr != std::string::npos && cr + 1 < buffer_.size()) {
    throw UserError(path().string() +
                    ": expected lines that end in LF or CRLF, found only CR, as on old Macs; convert " +
                    "it with tr '\\r' '\\n'");
  }
}

bool LineReader::read_more() {
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t size = buffer_.size();
  if (size > kLongestLine) {
    if (lines_read_ == 0) {
      check_first_line();
    }
    throw UserError(path().string() + ':' + std::to_string(lines_read_ + 1) +
                    ": expected lines of at most 16 MiB, found a longer one; is this a text file?");
  }
  pollfd waiting{file_->number(), POLLIN, 0};
  for (int ready = 0; while_waiting && (ready == 0 || (ready < 0 && errno == EINTR)); ready = poll(&waiting, 1, 100)) {
    while_waiting();
  }
  buffer_.resize(size + kPiece);
  const std::size_t count = file_->read(std::span(buffer_).subspan(size));
  buffer_.resize(size + count);
  left_ -= static_cast<std::int64_t>(count);
  if (count == 0 && left_ > 0) {
    throw UserError(path().string() + ": the file became shorter while it was being read; wait until it is " +
                    "complete, and start again");
  }
  return count > 0;
}

bool LineReader::has_whole_line() {
  searched_ = std::min(buffer_.find('\n', searched_), buffer_.size());
  return searched_ < buffer_.size();
}

bool LineReader::has_line_waiting() {
  while (!has_whole_line()) {
    pollfd waiting{file_->number(), POLLIN, 0};
    if (poll(&waiting, 1, 0) <= 0 || !read_more()) {
      return false;
    }
  }
  return true;
}

bool LineReader::next(std::string& line) {
  bool has_more = true;
  while (!has_whole_line() && has_more) {
    has_more = read_more();
  }
  if (begin_ == buffer_.size()) {
    return false;
  }
  if (lines_read_ == 0) {
    check_first_line();
  }
  line.assign(buffer_, begin_, searched_ - begin_);
  begin_ = searched_ = std::min(searched_ + 1, buffer_.size());

  if (lines_read_ == 0 && line.starts_with(kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
    if (line.empty() && begin_ == buffer_.size() && !buffer_.ends_with('\n')) {
      return false;  // only the mark
    }
  }
  ++lines_read_;
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  if (const auto fault = utf8_error(line)) {
    const std::string found = path().string() + ':' + std::to_string(lines_read_) + ": expected UTF-8 text, found " +
                              *fault + " of the line" + hint_about_encoding(line);
    if (!on_invalid) {
      throw UserError(found + "; save the file as UTF-8");
    }
    on_invalid(found);
    line = replace_invalid(line);
  }
  return true;
}

bool ParallelReader::next(std::string& source, std::string& target) {
  const bool has_source = source_.next(source);
  const bool has_target = target_.next(target);
  if (has_source && has_target) {
    lines_.mix(source).mix(target);
    return true;
  }
  if (!has_source && !has_target) {
    return false;
  }
  // One file has ended. Read the other to its end, so that the message can give both counts.
  LineReader& longer = has_source ? source_ : target_;
  bool is_blank = true;
  for (std::string line = has_source ? source : target;;) {
    is_blank = is_blank && split_words(line).empty();
    if (!longer.next(line)) {
      break;
    }
  }
  const Index more = std::abs(source_.lines_read() - target_.lines_read());
  throw UserError(target_.path().string() + ": expected " + std::to_string(source_.lines_read()) +
                  " lines, as many as in " + source_.path().string() + ", found " +
                  std::to_string(target_.lines_read()) + "; both files must have one sentence per line" +
                  (!is_blank   ? ""
                   : more == 1 ? ". The last line of " + longer.path().string() + " is empty: remove it"
                               : ". The last " + std::to_string(more) + " lines of " + longer.path().string() +
                                     " are empty: remove them"));
}

Index ParallelReader::fingerprint() const {
  return static_cast<Index>(Fingerprint().mix(lines_.value()).value() >> 2) + 1;
}

}  // namespace glassformer

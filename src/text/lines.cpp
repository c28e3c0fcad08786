#include "text/lines.hpp"

#include <unicode/utf8.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>

#include "text/corpus.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";

std::ifstream open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw UserError(file.string() + ": expected a file, found a directory; name a file inside it");
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    const char* reason = errno != 0 ? std::strerror(errno) : "unknown reason";
    throw UserError(file.string() + ": expected a readable file, found none (" + reason + "); check the path");
  }
  return stream;
}

void check_complete(const std::ifstream& stream, const std::filesystem::path& file) {
  if (stream.bad()) throw UserError(file.string() + ": reading failed before the end of the file");
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& file) : file_(file), stream_(open(file)) {}

bool LineReader::next(std::string& line) {
  if (!std::getline(stream_, line)) {
    check_complete(stream_, file_);
    return false;
  }
  if (lines_read_ == 0 && line.starts_with(kByteOrderMark)) {
    line.erase(0, std::strlen(kByteOrderMark));
    if (line.empty() && stream_.eof()) return false;  // nothing but the mark: an empty file
  }
  ++lines_read_;
  if (line.ends_with('\r')) line.pop_back();
  check(line);
  return true;
}

void LineReader::check(const std::string& line) const {
  const auto size = static_cast<std::ptrdiff_t>(line.size());
  for (std::ptrdiff_t i = 0; i < size;) {
    const std::ptrdiff_t start = i;
    UChar32 character = 0;  // ICU makes it negative where the bytes are no UTF-8
    U8_NEXT(line.data(), i, size, character);
    if (character > 0) continue;

    std::ostringstream message;
    message << file_.string() << ':' << lines_read_ << ": expected UTF-8 text, found ";
    if (character == 0) {
      message << "a NUL byte";
    } else {
      message << "the byte 0x" << std::hex << std::uppercase
              << static_cast<int>(static_cast<unsigned char>(line[static_cast<std::size_t>(start)]))
              << std::dec;
    }
    message << " at byte " << start + 1 << " of the line; save the file as UTF-8";
    throw UserError(message.str());
  }
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  LineReader reader(file);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream = open(file);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  check_complete(stream, file);
  return bytes;
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) {
    const char* reason = errno != 0 ? std::strerror(errno) : "unknown reason";
    throw UserError(file.string() + ": the file cannot be written (" + reason +
                    "); check the directory and the disk");
  }
}

}  // namespace glassformer

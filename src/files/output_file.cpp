#include "files/output_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

OutputFile::OutputFile(fs::path file) : file_(std::move(file)), written_(file_) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file_, ignored);
  if (fs::is_regular_file(status) || !fs::exists(status)) written_ += ".partial";
  errno = 0;
  stream_.open(written_);
  if (!stream_) {
    throw UserError(file_.string() + ": cannot be written (" + system_reason() + "); give another path");
  }
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (written_ != file_) fs::remove(written_, ignored);
}

void OutputFile::finish() {
  stream_.close();
  std::error_code reason;
  if (stream_ && written_ != file_) fs::rename(written_, file_, reason);
  if (!stream_ || reason) throw std::runtime_error(file_.string() + ": cannot be written (is the disk full?)");
  written_ = file_;
}

}  // namespace glassformer

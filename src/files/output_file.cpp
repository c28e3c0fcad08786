#include "glassformer/files/output_file.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

#include <random>
#include <stdexcept>
#include <utility>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/file_calls.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// A text that changes whenever the file is written or replaced; "" if there is no file.
std::string version_of(const fs::path& file) {
  struct stat now {};
  std::error_code ignored;
  if (::stat(file.c_str(), &now) != 0) {
    return "";
  }
  return fmt::format("{} {} {}", now.st_dev, now.st_ino, fs::last_write_time(file, ignored).time_since_epoch().count());
}

}  // namespace

OutputFile::OutputFile(fs::path file)
    : file_(file == "/dev/stdout" ? "" : std::move(file)), target_(file_), written_(file_) {
  if (file_.empty()) {
    return;
  }
  std::error_code reason;
  const fs::file_status status = fs::status(file_, reason);
  if (fs::is_regular_file(status) || !fs::exists(status)) {
    if (fs::is_regular_file(status) && fs::is_symlink(file_)) {
      target_ = fs::canonical(file_, reason);
    }
    written_ = target_.string() + fmt::format(".{:08x}", std::random_device()());
    replaced_ = version_of(target_);
    Descriptor(create_file(written_, !replaced_.empty() ? 0600 : 0666), file_).close();
  }
  stream_.open(written_);
  if (!stream_) {
    throw_disk_error("cannot be opened", file_, last_error());
  }
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!is_kept_ && written_ != target_) {
    fs::remove(written_, ignored);
  }
}

void OutputFile::flush() {
  if (!stream().flush()) {
    throw std::runtime_error((file_.empty() ? "standard output" : file_.string()) +
                             ": cannot be written (is the disk full?)");
  }
  is_kept_ = true;  // from now on, no error may lose it
  if (!file_.empty()) {
    flushed_ = stream_.tellp();
  }
}

const fs::path& OutputFile::keep() {
  stream_.close();
  std::error_code ignored;
  fs::resize_file(written_, static_cast<std::uintmax_t>(flushed_), ignored);  // without an incomplete line
  return written_;
}

void OutputFile::finish() {
  flush();
  stream_.close();
  if (written_ == target_) {
    return;
  }
  sync(written_);
  std::error_code reason;
  std::string problem = "another program has written this file in the meantime";
  if (version_of(target_) == replaced_) {
    if (!replaced_.empty()) {
      fs::permissions(written_, fs::status(target_).permissions(), reason);
    }
    fs::rename(written_, target_, reason);
    if (!reason) {
      return;
    }
    problem = "cannot be replaced (" + reason.message() + ")";
  }
  throw std::runtime_error(file_.string() + ": " + problem + "; this result is in " + written_.string() + ".");
}

}  // namespace glassformer

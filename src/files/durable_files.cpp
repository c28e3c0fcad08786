#include "files/durable_files.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

#include <random>
#include <stdexcept>
#include <utility>

#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPartialSuffix = ".partial";  // not finished, or being removed

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }
fs::path hidden_sibling(const fs::path& path, std::string_view suffix) {
  return parent_of(path) / ("." + path.filename().string() + std::string(suffix));
}
fs::path without_trailing_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

void sync(const fs::path& path) { Descriptor(path, O_RDONLY).sync(); }

void sync_all(const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory() || entry.is_regular_file()) {
      sync(entry.path());
    }
  }
  sync(directory);
}

/// Opens a new file; a link is not followed. Returns -1 on failure, as open() does.
int create(const fs::path& file, mode_t mode) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/// A text that changes whenever the file is written or replaced; "" if there is no file.
std::string version_of(const fs::path& file) {
  struct stat now {};
  std::error_code ignored;
  if (::stat(file.c_str(), &now) != 0) {
    return "";
  }
  return fmt::format("{} {} {}", now.st_dev, now.st_ino, fs::last_write_time(file, ignored).time_since_epoch().count());
}

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code reason;
  fs::rename(from, to, reason);
  if (reason) {
    throw_disk_error("cannot be renamed to " + to.filename().string(), from, reason);
  }
}

void remove_path(const fs::path& path) {
  std::error_code reason;
  fs::remove_all(path, reason);
  if (reason) {
    throw_disk_error("cannot be removed", path, reason);
  }
}

/// Removes `path` when the scope ends, if it still exists. Does not throw.
struct RemoveUnfinished {
  const fs::path& path;
  ~RemoveUnfinished() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// rename() cannot replace a directory that is not empty, so we move the older one aside first. If we are killed
/// in between, clear_unfinished_directories moves it back.
void swap_in(const fs::path& finished, const fs::path& directory) {
  const fs::path older = hidden_sibling(directory, kReplacedSuffix);
  remove_path(older);
  rename_path(directory, older);
  try {
    rename_path(finished, directory);
  } catch (...) {
    rename_path(older, directory);
    throw;
  }
  sync(parent_of(directory));
  remove_path(older);
}

}  // namespace

fs::path finished(const fs::path& path) {
  fs::path names;
  for (const fs::path& name : path) {
    const std::string text = name.string();
    names /= !is_unfinished_name(name) ? text : text.substr(1, text.rfind('.') - 1);
  }
  return names;
}

void write_file_durably(const fs::path& file, const std::vector<Bytes>& parts) {
  const fs::path partial = hidden_sibling(file, kPartialSuffix);
  const RemoveUnfinished guard{partial};
  remove_path(partial);
  std::error_code ignored;
  const fs::file_status replaced = fs::symlink_status(file, ignored);
  const bool replaces = fs::is_regular_file(replaced);
  Descriptor output(create(partial, replaces ? 0600 : 0666), partial);
  if (replaces) {
    fs::permissions(partial, replaced.permissions(), ignored);
  }
  for (const Bytes part : parts) {
    output.write(part);
  }
  output.sync();
  output.close();
  rename_path(partial, file);
  sync(parent_of(file));
}

void write_file_durably(const fs::path& file, std::string_view text) {
  write_file_durably(file, {std::as_bytes(std::span(text))});
}

void write_directory_durably(const fs::path& target, const std::function<void(const fs::path&)>& fill) try {
  const fs::path directory = without_trailing_slash(target);
  const fs::path partial = hidden_sibling(directory, kPartialSuffix);
  if (!fs::create_directory(partial)) {
    throw UserError(partial.string() +
                    ": expected nothing here, found a directory. If a program was killed while it wrote " +
                    directory.filename().string() + ", remove the directory.");
  }
  const RemoveUnfinished guard{partial};
  fill(partial);
  sync_all(partial);
  if (fs::exists(fs::symlink_status(directory))) {
    swap_in(partial, directory);
  } else {
    rename_path(partial, directory);
  }
  sync(parent_of(directory));
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be written", error.path1().empty() ? target : error.path1(), error.code());
}

void remove_directory_durably(const fs::path& target) {
  const fs::path directory = without_trailing_slash(target);
  const fs::path partial = hidden_sibling(directory, kPartialSuffix);
  remove_path(partial);
  rename_path(directory, partial);
  sync(parent_of(directory));
  remove_path(partial);
}

bool is_unfinished_name(const fs::path& path) {
  const std::string name = without_trailing_slash(path).filename().string();
  const auto ends = [&](std::string_view ending) { return name.size() > 1 + ending.size() && name.ends_with(ending); };
  return name.starts_with('.') && (ends(kPartialSuffix) || ends(kReplacedSuffix));
}

void clear_unfinished_directories(const fs::path& parent, const std::function<bool(const std::string&)>& is_ours) try {
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(parent)) {
    const bool is_unfinished = is_unfinished_name(entry.path());
    if (is_unfinished && is_ours(finished(entry.path().filename()).string())) {
      unfinished.push_back(entry.path());
    }
  }
  for (const fs::path& path : unfinished) {
    const std::string name = path.filename().string();
    const fs::path swapped = parent / name.substr(1, name.size() - 1 - kReplacedSuffix.size());
    if (name.ends_with(kReplacedSuffix) && !fs::exists(fs::symlink_status(swapped))) {
      rename_path(path, swapped);
    } else {
      remove_path(path);
    }
  }
  sync(parent);
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", parent, error.code());
}

void point_link_durably(const fs::path& link, const fs::path& target) {
  std::error_code reason;
  const fs::path partial = hidden_sibling(link, kPartialSuffix);
  const RemoveUnfinished guard{partial};
  remove_path(partial);
  fs::create_directory_symlink(target, partial, reason);
  if (reason) {
    throw_disk_error("the symbolic link cannot be created", link, reason);
  }
  rename_path(partial, link);
  sync(parent_of(link));
}

void replace_by_link_durably(const fs::path& directory, const fs::path& target) {
  const fs::path older = hidden_sibling(directory, kReplacedSuffix);
  remove_path(older);
  rename_path(directory, older);
  point_link_durably(directory, target);
  remove_path(older);
}

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
    Descriptor(create(written_, !replaced_.empty() ? 0600 : 0666), file_).close();
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

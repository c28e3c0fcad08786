#include "glassformer/files/durable_files.hpp"

#include <span>
#include <system_error>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/file_calls.hpp"
#include "glassformer/files/unfinished.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

}  // namespace

void write_file_durably(const fs::path& file, const std::vector<Bytes>& parts) {
  const fs::path partial = hidden_sibling(file, kPartialSuffix);
  const RemoveUnfinished guard{partial};
  remove_path(partial);
  std::error_code ignored;
  const fs::file_status replaced = fs::symlink_status(file, ignored);
  const bool replaces = fs::is_regular_file(replaced);
  Descriptor output(create_file(partial, replaces ? 0600 : 0666), partial);
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

}  // namespace glassformer

#include "glassformer/checkpoint/checksums.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameAt = 66;  // in a line of SHA256SUMS

/// As sha256sum prints it: 64 digits, two spaces, the name.
std::string checksum_line(const fs::path& directory, const std::string& name) {
  return sha256_of(directory / name) + "  " + name;
}

UserError damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return UserError(
      fmt::format("{}: expected {}, found {}. The checkpoint is damaged: use another one, or copy it again. (If you "
                  "changed it on purpose, remove {}.)",
                  file.string(), expected, found, kChecksumFile));
}

/// The names that SHA256SUMS lists, after a check of each line.
std::set<std::string> verify_lines(const fs::path& directory, Verify which) {
  std::istringstream lines(read_checkpoint_file(directory / kChecksumFile));
  lines.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  std::set<std::string> names;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string name = name_in_checksum_line(line);
    if (name.empty() || name.find('/') != std::string::npos || !names.insert(name).second) {
      throw damaged(directory / kChecksumFile, "a checksum and a new file name on each line",
                    "something else, or a repeated name, on line " + std::to_string(number));
    }
    if (which == Verify::but_training_state && name == kStateFile) {
      continue;
    }
    if (!fs::is_regular_file(directory / name)) {
      throw damaged(directory / name, "a file", "none");
    }
    check_checkpoint_file(directory / name, kUnlimited);
    if (const std::string found = checksum_line(directory, name); found != line) {
      throw damaged(directory / name, "the SHA-256 " + line.substr(0, 12) + "...", found.substr(0, 12) + "...");
    }
  }
  return names;
}

}  // namespace

std::string sha256_of(const fs::path& file) {
  Descriptor input(file, O_RDONLY);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(1 << 18);
  std::size_t count = 0;
  for (auto left = fs::file_size(file); left > 0 && (count = input.read(buffer)) > 0; left -= std::min(left, count)) {
    ok = ok && EVP_DigestUpdate(context.get(), buffer.data(), count) == 1;
  }
  std::array<unsigned char, 32> digest{};
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    throw std::runtime_error(file.string() + ": OpenSSL cannot compute its SHA-256.");
  }
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256_of(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL cannot compute a SHA-256.");
  }
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string name_in_checksum_line(std::string_view line) {
  return std::string(line.size() > kNameAt ? line.substr(kNameAt) : "");
}

void write_checksums(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kChecksumFile && name != kModelFile) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  names.emplace_back(kModelFile);  // last, so that a truncated list is noticed
  std::string lines;
  for (const std::string& name : names) {
    lines += checksum_line(directory, name) + '\n';
  }
  write_file_durably(directory / kChecksumFile, lines);
}

fs::path verify_checksums(const fs::path& directory, Verify which) try {
  if (!fs::exists(fs::symlink_status(directory / kChecksumFile))) {
    return directory;
  }
  const std::set<std::string> names = verify_lines(directory, which);
  for (const std::string_view name : kCheckpointFiles) {
    const bool is_needed = name == kModelFile || fs::exists(fs::symlink_status(directory / name));
    if (is_needed && !names.contains(std::string(name))) {
      throw damaged(directory / kChecksumFile, "the checksum of " + std::string(name), "none");
    }
  }
  return directory;
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", error.path1(), error.code());
}

}  // namespace glassformer

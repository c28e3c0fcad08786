#include <fcntl.h>
#include <openssl/evp.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "files/durable_files.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChecksumFile = "SHA256SUMS";

/// SHA-256 (FIPS 180-4) of a file, as text.
std::string checksum_of(const fs::path& file) {
  Descriptor input(file, O_RDONLY);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(1 << 18);
  while (const std::size_t count = input.read(buffer))
    ok = ok && EVP_DigestUpdate(context.get(), buffer.data(), count) == 1;
  std::array<unsigned char, 32> digest{};
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1)
    throw std::runtime_error(file.string() + ": OpenSSL cannot compute its SHA-256.");
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

/// As sha256sum prints it: 64 digits, two blanks, the name.
std::string line_of(const fs::path& directory, const std::string& name) {
  return checksum_of(directory / name) + "  " + name;
}

UserError damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return UserError(
      fmt::format("{}: expected {}, found {}. The checkpoint is damaged: take another one, or copy it again. (If you "
                  "changed it on purpose, remove {}.)",
                  file.string(), expected, found, kChecksumFile));
}

/// All files but the sums themselves, the model last: a list that has been cut off does not have it.
std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kChecksumFile && name != kModelFile) names.push_back(name);
  }
  std::ranges::sort(names);
  names.emplace_back(kModelFile);
  return names;
}

}  // namespace

void write_checksums(const fs::path& directory) {
  std::string lines;
  for (const std::string& name : files_in(directory)) lines += line_of(directory, name) + '\n';
  write_file_durably(directory / kChecksumFile, lines);
}

void verify_checksums(const fs::path& directory, Verify which) try {
  if (!fs::exists(fs::symlink_status(directory / kChecksumFile))) return;
  std::istringstream lines(read_bytes(directory / kChecksumFile));
  bool has_model = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    constexpr std::size_t kNameAt = 66;
    const std::string name = line.size() > kNameAt ? line.substr(kNameAt) : "";
    if (name.empty() || name.find('/') != std::string::npos)
      throw damaged(directory / kChecksumFile, "a checksum and the name of a file",
                    "something else in line " + std::to_string(number));
    has_model = has_model || name == kModelFile;
    if (which == Verify::but_training_state && name == kStateFile) continue;
    if (!fs::is_regular_file(directory / name)) throw damaged(directory / name, "a file", "none");
    if (const std::string found = line_of(directory, name); found != line)
      throw damaged(directory / name, "the SHA-256 " + line.substr(0, 12) + "...", found.substr(0, 12) + "...");
  }
  if (!has_model) throw damaged(directory / kChecksumFile, std::string("the checksum of ") + kModelFile, "none");
} catch (const fs::filesystem_error& error) {
  throw UserError(directory.string() + ": the checkpoint cannot be read: " + error.code().message() + ".");
}

}  // namespace glassformer

#include "checkpoint/checksums.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "files/durable_files.hpp"
#include "files/lines.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "SHA256SUMS";
constexpr const char* kModel = "model.safetensors";
constexpr const char* kTrainingState = "training_state.safetensors";
constexpr std::size_t kSumDigits = 64;
constexpr std::string_view kHexadecimal = "0123456789abcdef";

using Checksums = std::map<std::string, std::string>;  // by the name of the file

/// SHA-256 (FIPS 180-4) of a file, as text.
std::string checksum_of(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool ok = input && context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(1 << 18);
  while (ok && !input.eof()) {
    input.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    ok = !input.bad() && EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(input.gcount())) == 1;
  }
  std::array<unsigned char, kSumDigits / 2> digest{};
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    throw UserError(file.string() + ": the file cannot be read. Check its permissions.");
  }
  std::string text;
  for (const unsigned char byte : digest) {
    text += kHexadecimal[byte / 16];
    text += kHexadecimal[byte % 16];
  }
  return text;
}

UserError damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return UserError(file.string() + ": expected " + expected + ", found " + found +
                   ". The checkpoint is damaged: take another one, or copy it anew. (Whoever has changed it on purpose "
                   "removes " + kFile + ".)");
}

/// Lines of 64 digits, two characters that sha256sum puts between, and the name of a file in the same directory.
Checksums read_checksums(const fs::path& file) {
  Checksums checksums;
  std::istringstream lines(read_bytes(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string name = line.size() > kSumDigits + 2 ? line.substr(kSumDigits + 2) : "";
    const std::string between = line.size() > kSumDigits + 2 ? line.substr(kSumDigits, 2) : "";
    const bool is_sum = line.find_first_not_of(kHexadecimal) == kSumDigits && (between == "  " || between == " *");
    if (!is_sum || name.find('/') != std::string::npos) {
      throw damaged(file, "a checksum and the name of a file", "something else in line " + std::to_string(number));
    }
    checksums[name] = line.substr(0, kSumDigits);
  }
  return checksums;
}

/// All files but the sums themselves, the model last: a list that has been cut off does not have it.
std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kFile && name != kModel) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.emplace_back(kModel);
  return names;
}

}  // namespace

void write_checksums(const fs::path& directory) {
  std::string lines;
  for (const std::string& name : files_in(directory)) lines += checksum_of(directory / name) + "  " + name + '\n';
  write_file_durably(directory / kFile, lines);
}

void verify_checksums(const fs::path& directory, Verify which) try {
  if (!fs::exists(fs::symlink_status(directory / kFile))) return;
  const Checksums checksums = read_checksums(directory / kFile);
  if (!checksums.contains(kModel)) throw damaged(directory / kFile, std::string("the checksum of ") + kModel, "none");
  for (const auto& [name, expected] : checksums) {
    if (which == Verify::but_training_state && name == kTrainingState) continue;
    if (!fs::is_regular_file(directory / name)) throw damaged(directory / name, "a file", "none");
    const std::string found = checksum_of(directory / name);
    if (found != expected) {
      throw damaged(directory / name, "the SHA-256 " + expected.substr(0, 12) + "...", found.substr(0, 12) + "...");
    }
  }
} catch (const fs::filesystem_error& error) {
  throw UserError(directory.string() + ": the checkpoint cannot be read: " + error.code().message() + ".");
}

}  // namespace glassformer

#include "glassformer/files/text_format.hpp"

#include <algorithm>
#include <array>

namespace glassformer {
namespace {

using namespace std::string_view_literals;

/// The bytes with which the files of a format begin.
struct Signature {
  std::string_view bytes;
  const char* format;
  const char* advice;
};

constexpr const char* kSaveAsText = "save the document as plain text in UTF-8";

constexpr Signature kSignatures[] = {
    {"\xFF\xFE\0\0"sv, "UTF-32",
     "convert it with iconv -f UTF-32 -t UTF-8"},  // before UTF-16: it begins with the same bytes
    {"\0\0\xFE\xFF"sv, "UTF-32", "convert it with iconv -f UTF-32 -t UTF-8"},
    {"\xFF\xFE"sv, "UTF-16", "convert it with iconv -f UTF-16 -t UTF-8"},
    {"\xFE\xFF"sv, "UTF-16", "convert it with iconv -f UTF-16 -t UTF-8"},
    {"\x1F\x8B"sv, "a file compressed by gzip", "unpack it with gunzip"},
    {"\xFD\x37zXZ\0"sv, "a file compressed by xz", "unpack it with unxz"},
    {"\x28\xB5\x2F\xFD"sv, "a file compressed by zstd", "unpack it with unzstd"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive", "unpack it with 7z x"},
    {"PK\x03\x04"sv, "a ZIP archive or an Office document",
     "unpack it with unzip, or save the document as plain text in UTF-8"},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an Office document", kSaveAsText},
    {"{\\rtf"sv, "a document in Rich Text Format", kSaveAsText},
    {"%PDF-"sv, "a PDF document", "extract its text with pdftotext"},
};

/// The encoding of a text of 2 or 4 bytes per character without a byte order mark: in most languages, many characters
/// contain a NUL byte, always at the same position. Otherwise nothing.
std::optional<std::string> wide_encoding(std::string_view text) {
  std::array<std::size_t, 4> all{};
  std::array<std::size_t, 4> nul{};  // by position modulo 4
  for (std::size_t i = 0; i < text.size(); ++i) {
    ++all[i % 4];
    nul[i % 4] += text[i] == '\0';
  }
  const auto always = [&](std::size_t k) { return all[k] > 0 && nul[k] == all[k]; };
  if (nul[0] == 0 && always(2) && always(3)) {
    return "UTF-32LE";
  }
  if (nul[3] == 0 && always(0) && always(1)) {
    return "UTF-32BE";
  }
  const std::size_t even = nul[0] + nul[2];
  const std::size_t odd = nul[1] + nul[3];
  const std::size_t pairs = text.size() / 2;
  const std::size_t enough = std::max(pairs / 16, std::clamp<std::size_t>(pairs, 1, 4));
  if (pairs == 0) {
    return std::nullopt;
  }
  if (odd >= enough && even == 0) {
    return "UTF-16LE";
  }
  if (even >= enough && odd == 0) {
    return "UTF-16BE";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> other_format(std::string_view beginning) {
  constexpr std::size_t kEnough = 4096;
  constexpr std::size_t kTarMark = 257;
  beginning = beginning.substr(0, kEnough);
  for (const auto& [bytes, format, advice] : kSignatures) {
    if (beginning.starts_with(bytes)) {
      return std::string(format) + "; " + advice;
    }
  }
  if (beginning.size() > 10 && beginning.starts_with("BZh") && beginning.substr(4, 6) == "1AY&SY") {
    return "a file compressed by bzip2; unpack it with bunzip2";
  }
  if (beginning.size() > kTarMark && beginning.substr(kTarMark).starts_with("ustar")) {
    return "a tar archive; unpack it with tar -xf";
  }
  if (const auto encoding = wide_encoding(beginning)) {
    return *encoding + "; convert it with iconv -f " + *encoding + " -t UTF-8";
  }
  return std::nullopt;
}

std::string hint_about_encoding(std::string_view line) {
  constexpr std::string_view kUnused = "\x7F\x81\x8D\x8F\x90\x9D";  // in Windows-1252
  const auto is_high = [&](std::size_t i) { return i < line.size() && static_cast<unsigned char>(line[i]) >= 0x80; };
  std::size_t likely = 0;
  std::size_t unlikely = 0;  // bytes above 0x7F
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_control = static_cast<unsigned char>(line[i]) < 0x20 && line[i] != '\t';
    if (is_control || kUnused.find(line[i]) != std::string_view::npos) {
      return "";
    }
    if (!is_high(i)) {
      continue;
    }
    std::size_t end = i + 1;
    while (is_high(end)) {
      ++end;
    }
    const bool is_part_of_utf8 = end - i > 1 && (static_cast<unsigned char>(line[i + 1]) & 0xC0) == 0x80;
    (end - i <= 2 && !is_part_of_utf8 ? likely : unlikely) += end - i;  // in other encodings, they come in long runs
    i = end - 1;
  }
  if (likely == 0 || unlikely > likely / 4) {
    return "";
  }
  return " (it may be Windows-1252 or Latin-1; to convert it: iconv -f WINDOWS-1252 -t UTF-8)";
}

}  // namespace glassformer

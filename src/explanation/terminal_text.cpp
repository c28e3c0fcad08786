#include "explanation/terminal_text.hpp"

#include <algorithm>

namespace glassformer {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

Index characters(std::string_view text) {
  return std::ranges::count_if(text, [](char byte) { return !continues_character(byte); });
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || c1) safe += "\uFFFD";
    else safe += text[i];
    if (c1) ++i;
  }
  return safe;
}

std::string cut_to(std::string_view text, Index columns) {
  if (characters(text) <= columns) return std::string(text);
  std::string kept;
  Index count = 0;
  for (const char byte : text) {
    if (!continues_character(byte) && ++count >= columns) break;
    kept += byte;
  }
  return kept + "…";
}

std::string fit(std::string_view text, Index columns) {
  std::string fitted = cut_to(text, columns);
  fitted.append(static_cast<std::size_t>(std::max<Index>(0, columns - characters(fitted))), ' ');
  return fitted;
}

std::vector<std::string> wrapped(std::string_view text, Index columns) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (lines.back().empty()) lines.back() = word;
    else if (characters(lines.back()) + 1 + characters(word) > columns) lines.emplace_back(word);
    else lines.back().append(" ").append(word);
    begin = end + 1;
  }
  return lines;
}

}  // namespace glassformer

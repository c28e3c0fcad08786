#include "glassformer/page/tensor_axes.hpp"

#include <algorithm>

namespace glassformer {
namespace {

bool is_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string tensor_axes(const RecordedTensor& tensor, const PartInfo& info) {
  std::string axes;
  for (auto letter = tensor.axes.begin(); letter != tensor.axes.end();) {
    const auto end = std::find_if_not(letter, tensor.axes.end(), is_of_word);
    if (end == letter) {
      axes += *letter++;  // a separator
      continue;
    }
    const std::string word(letter, end);
    const auto known = info.letters.find(word);
    axes += known == info.letters.end() ? word : known->second;
    letter = end;
  }
  return axes;
}

VocabularyAxis vocabulary_axis(std::string_view axes) {
  if (axes.starts_with("V,")) {
    return VocabularyAxis::rows;
  }
  return axes.ends_with(", V") ? VocabularyAxis::cols : VocabularyAxis::none;
}

}  // namespace glassformer

#include "page/tensor_axes.hpp"

#include <regex>

#include "page/model_parts.hpp"

namespace glassformer {

std::string tensor_axes(const RecordedTensor& tensor) {
  static const std::regex word_or_separator(R"(\w+|\W+)");
  const auto letters = letters_in(tensor.part);
  std::string axes;
  for (std::sregex_iterator i(tensor.axes.begin(), tensor.axes.end(), word_or_separator), end; i != end; ++i) {
    const auto known = letters.find(i->str());
    axes += known == letters.end() ? i->str() : known->second;
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

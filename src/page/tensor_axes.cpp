#include "glassformer/page/tensor_axes.hpp"

#include <regex>

namespace glassformer {

std::string tensor_axes(const RecordedTensor& tensor, const PartInfo& info) {
  static const std::regex word_or_separator(R"(\w+|\W+)");
  std::string axes;
  for (std::sregex_iterator i(tensor.axes.begin(), tensor.axes.end(), word_or_separator), end; i != end; ++i) {
    const auto known = info.letters.find(i->str());
    axes += known == info.letters.end() ? i->str() : known->second;
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

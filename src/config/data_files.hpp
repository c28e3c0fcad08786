#pragma once

#include <string>

#include "glassformer/settings/text.hpp"

namespace glassformer {

/// One side of a text: the file that is looked for, and the languages of this side and of the other one.
struct TextSide {
  std::string key;       ///< the key that names the text, such as data.train
  std::string name;      ///< its value
  std::string language;  ///< of this side
  std::string other_language;
  bool is_source;
};

/// How to get the missing file of a text, if its directory contains it under another name, such as OpenNMT's
/// src-train.txt or train.en.gz; otherwise "".
std::string hint_about_names(const DataSettings& data, const TextSide& side);

}  // namespace glassformer

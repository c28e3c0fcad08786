#include "explanation/tensor_axes.hpp"

#include <map>
#include <string_view>

namespace glassformer {
namespace {

using Letters = std::map<std::string, std::string, std::less<>>;

/// What "in" and "out" of a linear map are, by the map's name; and dropout's D, where that is not the model's width.
void add_widths(std::string_view part, Letters& letters) {
  letters["in"] = part.ends_with("fc2") ? "F" : "D";
  letters["out"] = part.ends_with("fc1")        ? "F"
                   : part.ends_with("qkv_proj") ? "3D"
                   : part.ends_with("kv_proj")  ? "2D"
                   : part.ends_with("output")   ? "V"
                                                : "D";
  if (part.ends_with("feed_forward.dropout")) letters["D"] = "F";
}

/// The letters that a layer uses, and what they are in this part of the model.
Letters letters_in(std::string_view part) {
  Letters letters;
  add_widths(part, letters);
  if (part.ends_with("attn.dropout")) {  // of attention weights
    const std::string keys = part.ends_with("encoder_attn.dropout") || part.starts_with("encoder") ? "S" : "T";
    letters.insert({{"N", part.starts_with("encoder") ? "B*H*S" : "B*H*T"}, {"D", keys}});
  }
  if (part.starts_with("encoder")) {
    letters.insert({{"N", "B*S"}, {"M", "B*S"}, {"T", "S"}});
  } else if (part.find(".self_attn") != std::string_view::npos) {
    letters.insert({{"N", "B*T"}, {"M", "B*T"}, {"S", "T"}});
  } else {
    const bool of_memory = part.ends_with("kv_proj");  // its rows are the encoder's
    letters.insert({{"N", of_memory ? "B*S" : "B*T"}, {"M", "B*S"}});
  }
  return letters;
}

}  // namespace

std::string tensor_axes(const RecordedTensor& tensor) {
  const Letters letters = letters_in(tensor.part);
  std::string axes, word;
  for (const char letter : tensor.axes + "\n") {  // words are cut at '*', ',' and the end
    if (letter != '*' && letter != ',' && letter != '\n' && letter != ' ') {
      word += letter;
      continue;
    }
    const auto known = letters.find(word);
    axes += known == letters.end() ? word : known->second;
    word.clear();
    if (letter != '\n') axes += letter;
  }
  return axes;
}

}  // namespace glassformer

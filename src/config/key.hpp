#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "numerics/matrix.hpp"

namespace YAML {
class Node;
}

namespace glassformer {

/// Where a value was given.
struct Place {
  std::string name;  ///< how a message begins: "toy.yaml:40: model.dropout" or "--set model.dropout=2"
  std::filesystem::path directory;  ///< what a relative path is relative to
  bool overrides = false;           ///< given by --set
};

/// The keys that were given. A key that is not here has its default.
using Places = std::map<std::string, Place>;

/// One key of the config, bound to the field that it fills.
struct Key {
  std::string name;  ///< with dots: training.optimizer.beta1
  /// Checks the value and puts it into the field. \throws UserError: place, what was expected, what was found
  std::function<void(const YAML::Node&, const Place&)> read;
  std::function<std::string()> write;  ///< the field as YAML
  bool required = false;

  Key&& needed() && {
    required = true;
    return std::move(*this);
  }
};

/// Which numbers a key takes, in words and as a test.
struct Range {
  const char* words;      ///< as a message says it: "a number above 0"
  bool (*holds)(double);  ///< whether a number is one of them
};
inline constexpr Range from_0_to_below_1{"a number from 0 to below 1",
                                         [](double x) { return x >= 0 && x < 1; }};  ///< 0 <= x < 1
inline constexpr Range at_least_0{"a number of at least 0", [](double x) { return x >= 0; }};  ///< x >= 0
inline constexpr Range above_0{"a number above 0", [](double x) { return x > 0; }};       ///< x > 0

// One maker for each type of value. The field must outlive the key.
Key whole(std::string name, Index& field, Index lowest, Index highest);  ///< a whole number, both ends included
Key whole(std::string name, std::uint64_t& field);                       ///< any that 64 bits hold
Key number(std::string name, double& field, Range range);                ///< a finite number of the range
Key flag(std::string name, bool& field);                                 ///< true or false
Key text(std::string name, std::string& field);                ///< not empty
Key texts(std::string name, std::vector<std::string>& field);  ///< a list, maybe empty; none of its texts is
Key path(std::string name, std::filesystem::path& field);      ///< comes out absolute
Key path_or_none(std::string name, std::filesystem::path& field);  ///< "" stays empty

/// The position of the word that `node` holds. \throws UserError that lists the words, with the nearest
std::size_t choose(const YAML::Node& node, const Place& place, const std::vector<std::string>& words);

/// One of some words, each of which stands for a value.
template <typename Enum>
Key choice(std::string name, Enum& field, std::vector<std::pair<std::string, Enum>> choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  return {std::move(name),
          [&field, choices, words](const YAML::Node& node, const Place& place) {
            field = choices[choose(node, place, words)].second;
          },
          [&field, choices] {
            for (const auto& [word, value] : choices)
              if (value == field) return word;
            return std::string();
          }};
}

/// What a message says was found: 1.5, "abc", nothing, a list, a section.
std::string describe(const YAML::Node& node);

}  // namespace glassformer

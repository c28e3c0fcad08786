#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/yaml_reader.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Where a value was given.
struct Place {
  std::string name;                 ///< how a message begins: "toy.yaml:40: model.dropout" or "--set model.dropout=2"
  std::filesystem::path directory;  ///< what a relative path is relative to
  std::size_t distance = 0;         ///< 0: --set; 1: the config file; 2: its base; 3: the base of that ...
};

/// The keys that were given. A key that is not here has its default.
using Places = std::map<std::string, Place>;

/// Which numbers a key takes, in words and as a test.
struct Range {
  const char* words;      ///< as a message says it: "a number above 0"
  bool (*holds)(double);  ///< whether a number is one of them
};
inline constexpr Range kShare{"a number from 0 to below 1", [](double x) { return x >= 0 && x < 1; }};
inline constexpr Range kNotNegative{"a number of at least 0", [](double x) { return x >= 0; }};
inline constexpr Range kPositive{"a number above 0", [](double x) { return x > 0; }};

/// A whole number, both ends included.
struct Whole {
  Index* field;
  Index lowest, highest;
};

/// A finite number.
struct Number {
  double* field;
  Range range;
};

/// A path, or "" for none.
struct PathOrNone {
  std::filesystem::path* field;
};

/// One of some words.
struct Choice {
  std::vector<std::string> words;
  std::function<std::size_t()> get;  ///< the position of the chosen word
  std::function<void(std::size_t)> set;
};

/// Each word stands for the value at its position in the enum.
template <typename Enum>
Choice choice(Enum& field, std::vector<std::string> words) {
  return {std::move(words), [&field] { return static_cast<std::size_t>(field); },
          [&field](std::size_t position) { field = static_cast<Enum>(position); }};
}

/// The field that a key fills, and what it takes. Without more: any number of 64 bits, true or false, text, a list of
/// texts, a path. None of these may be empty but the list.
using Field = std::variant<Whole, Number, Choice, PathOrNone, std::uint64_t*, bool*, std::string*,
                           std::vector<std::string>*, std::filesystem::path*>;

/// One key of the config. The field must outlive it.
struct Key {
  std::string name;  ///< with dots: training.optimizer.beta1
  Field field;
  std::string comment;  ///< what it means and what it takes, without the default

  /// Checks the value and puts it into the field. \throws UserError: place, what was expected, what was found
  void read(const Value& value, const Place& place) const;
  std::string write() const;  ///< the field as YAML
  bool has_value() const;     ///< false: the field is empty, which this key may not be. So there is no default.
};

/// A key that an earlier version had. Its default is ignored with a warning, so that old configs and checkpoints stay
/// readable; any other value is an error, because this version cannot do what it asks for.
struct RetiredKey {
  std::string name;
  std::string default_value;  ///< as YAML
  std::string advice;         ///< what to do instead, as a sentence without its full stop

  void check(const Value& value, const Place& place) const;  ///< \throws UserError: not the default
};

struct Config;

/// Every key of a config file, bound to its field of `config`. Defaults are those of the structs. A new key is one row
/// in keys.cpp, and one in a config.
std::vector<Key> keys_of(Config& config);

/// Those that earlier versions had.
const std::vector<RetiredKey>& retired_keys();

/// What a message says was found: 1.5, "abc", nothing, a list, a section.
std::string describe(const Value& value);

}  // namespace glassformer

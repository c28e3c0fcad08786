#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/schema/setting.hpp"

namespace glassformer {

/// The value that a config gives for a key.
struct Value {
  enum class Kind { nothing, text, list, section };
  Kind kind = Kind::text;
  std::string text;          ///< numbers, true and false are text too
  bool is_quoted = false;    ///< "1" in quotes is not a number
  std::vector<Value> items;  ///< of a list; those of a nested list are dropped
};

/// Where a value was given.
struct Place {
  std::string name;                 ///< how a message begins: "toy.yaml:40: model.dropout" or "--set model.dropout=2"
  std::filesystem::path directory;  ///< where relative paths start
  std::size_t distance = 0;         ///< 0: --set; 1: the config file; 2: its base; 3: the base of that ...
};

/// The keys that were given. A key that is missing here has its default.
using Places = std::map<std::string, Place>;

/// A field of the config (which must outlive this), and the values that it accepts.
class Field {
 public:
  Field(Index& field, Index lowest, Index highest);  ///< an integer; both bounds included
  Field(double& field, const Range& range);          ///< a finite number
  Field(std::uint64_t& field);
  Field(bool& field);
  Field(std::string& field, Empty empty = Empty::refused);
  Field(std::vector<std::string>& field);
  Field(std::filesystem::path& field, Empty empty = Empty::refused);
  /// One of these words, in the order of the enum's values.
  template <typename Enum>
  requires std::is_enum_v<Enum> Field(Enum& field, const auto& words)
      : Field(
            std::vector<std::string>(words.begin(), words.end()), [&field] { return static_cast<std::size_t>(field); },
            [&field](std::size_t position) { field = static_cast<Enum>(position); }) {}

  /// Checks a value and stores it. \throws UserError: place, what was expected, what was found
  std::function<void(const Value&, const Place&)> read;
  std::function<std::string()> write;  ///< the field as YAML
  /// What is wrong with the number once it is rounded to single precision, in which training computes; "" if nothing.
  /// Only numbers that are not integers have this function.
  std::function<std::string()> single_precision;
  bool has_value() const;  ///< false: a required field that is still empty

 private:
  Field(const std::vector<std::string>& words, const std::function<std::size_t()>& get,
        const std::function<void(std::size_t)>& set);

  Empty empty_ = Empty::refused;
};

/// One key of a config file.
struct Key {
  std::string name;  ///< with dots: training.optimizer.beta1
  Field field;
  std::string comment;  ///< its meaning and its values, without the default
};

/// A key that an earlier version had. Its default is ignored with a warning, so that old configs and checkpoints stay
/// readable; any other value is an error.
struct RetiredKey {
  std::string name;
  std::string default_value;  ///< as YAML
  std::string advice;         ///< what to do instead: a sentence without its full stop

  void check(const Value& value, const Place& place) const;  ///< \throws UserError: not the default
};

struct Config;

/// Every key of a config file, with its field in `config`, in the order of a written config. Each struct of settings
/// has a list of its keys (schema/setting.hpp).
std::vector<Key> keys_of(Config& config);

const std::vector<RetiredKey>& retired_keys();  ///< all of them

/// How a message names the value that it found: 1.5, "abc", nothing, a list, a section.
std::string describe(const Value& value);

/// Fills the fields of `keys` from a YAML file, its base first, and then from the overrides (KEY=VALUE; the value is
/// YAML). A relative path is relative to the file that contains it.
/// \return where each key was given, retired keys included; if given several times, the place that counts
/// \throws UserError like parse_config, with file and line; also: a cycle of bases, a retired key not at its default
Places read_keys(const std::vector<Key>& keys, const std::filesystem::path& file,
                 const std::vector<std::string>& overrides);

/// Fills the fields of `keys` from overrides alone. \return where each key was given \throws UserError like read_keys
Places read_overrides(const std::vector<Key>& keys, const std::vector<std::string>& overrides);

}  // namespace glassformer

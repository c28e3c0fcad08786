#pragma once

#include <string>
#include <vector>

#include "glassformer/numerics/index.hpp"

/// For each struct that a config sets, a function for_each_setting(settings, visit) is the only list of its settings.
/// The lists of the core's structs are in this module, so that the core's other modules have only what a textbook would
/// print. Those of the program's structs are next to the structs, in src/settings. The function calls visit for each
/// setting:
///
///   visit("heads", "number of attention heads; must divide d_model", settings.heads, 1, kMostHeads);
///         name     meaning                                           field           what it accepts
///
/// An integer accepts what is between two bounds, both included; a number, a Range; an enum, the names of its values in
/// their order; a text or a path, Empty::allowed or nothing. Config keys, the checks of a Session and its snapshots are
/// made from these lists, so all that a new setting needs is a field and a line in the list. If settings of a struct of
/// the core must fit each other, a function broken_rule(settings) says whether they do; a config and a Session both ask
/// it.
namespace glassformer {

/// Which numbers a setting accepts.
struct Range {
  const char* words = "";  ///< for messages: "a number above 0"
  bool (*holds)(double) = nullptr;
  bool in_single_precision = true;  ///< training computes with it; false: it stays in double precision
};
inline constexpr Range kRate{"a number of at least 0 and below 1", [](double x) { return x >= 0 && x < 1; }};
inline constexpr Range kNotNegative{"a number of at least 0", [](double x) { return x >= 0; }};
inline constexpr Range kRatio{"a number from 0 to 100", [](double x) { return x >= 0 && x <= 100; }};
inline constexpr Range kPositive{"a number above 0", [](double x) { return x > 0; }};

/// What goes wrong if a number is rounded to single precision, where 0.99999999 is 1 and 1e-60 is 0: it leaves the
/// range, or it becomes 0. "" if neither happens.
std::string problem_in_single_precision(const Range& range, double value);

/// The shortest decimal that reads back as the same bits.
std::string shortest(double value);

/// Settings that are in their ranges, but do not fit each other.
struct BrokenRule {
  std::vector<std::string> settings;  ///< their names; the first is the one to blame
  std::string why;                    ///< what was expected and what was found
};

enum class Empty { refused, allowed };

/// No setting that counts something accepts more.
inline constexpr Index kMany = 1'000'000'000;

/// The names of an enum's values, for the meaning of a setting: "relu | gelu | swish".
std::string choices(const auto& names) {
  std::string list;
  for (const char* name : names) {
    list += (list.empty() ? "" : " | ") + std::string(name);
  }
  return list;
}

}  // namespace glassformer

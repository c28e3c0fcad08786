#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "glassformer/model/settings.hpp"
#include "glassformer/schema/model.hpp"
#include "random_values.hpp"

namespace glassformer::example {

/// Calls the action for the settings that are choices.
template <class Action>
struct ChoiceVisitor {
  const Action& action;

  template <class Enum, std::size_t size>
  void operator()(const char*, const std::string&, Enum& field, const std::array<const char*, size>&) const {
    action(field, Index{size});
  }
  void operator()(const char*, const std::string&, const auto&, const auto&...) const {}  // not a choice
};

/// Calls action(field, number of values) for every setting that is a choice: norm, activation, whatever a later one is
/// called.
template <class Action>
void for_each_choice(TransformerSettings& settings, const Action& action) {
  for_each_setting(settings, ChoiceVisitor<Action>{action});
}

/// Draws a value for every choice.
inline void draw_choices(RandomValues& random, TransformerSettings& settings) {
  for_each_choice(settings,
                  [&]<class Enum>(Enum& field, Index values) { field = static_cast<Enum>(random.index(values)); });
}

/// Copies of the settings, one for each value of each choice: only that choice differs.
inline std::vector<TransformerSettings> with_each_choice(TransformerSettings settings) {
  std::vector<TransformerSettings> all;
  for_each_choice(settings, [&]<class Enum>(Enum& field, Index values) {
    const Enum given = field;
    for (Index value = 0; value < values; ++value) {
      field = static_cast<Enum>(value);
      all.push_back(settings);
    }
    field = given;
  });
  return all;
}

}  // namespace glassformer::example

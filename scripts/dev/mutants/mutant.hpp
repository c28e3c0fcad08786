#pragma once

// Included at the top of every file of a mutated copy of src (see mutate.py). A mutant is a small mistake with a
// number. All mutants of the copy are compiled; GLASSFORMER_MUTANT names the one that is switched on.

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace glassformer::mutants {

inline bool on(int number) {
  static const int active = [] {
    const char* const text = std::getenv("GLASSFORMER_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return active == number;
}

/// `a + b` becomes `a + swap<NUMBER, minus>() + b`: the same precedence, but what is computed depends on the switch.
template <int number, class Other>
struct Swap {};
template <int number, class Other, class Left>
struct Half {
  Left&& left;
};
struct Plus {
  static constexpr auto apply = [](auto&& a, auto&& b) -> decltype(auto) { return a + b; };
};
struct Minus {
  static constexpr auto apply = [](auto&& a, auto&& b) -> decltype(auto) { return a - b; };
};
struct Times {
  static constexpr auto apply = [](auto&& a, auto&& b) -> decltype(auto) { return a * b; };
};
struct Divided {
  static constexpr auto apply = [](auto&& a, auto&& b) -> decltype(auto) { return a / b; };
};
struct Less {
  static constexpr auto apply = [](auto&& a, auto&& b) { return a < b; };
};
struct LessOrEqual {
  static constexpr auto apply = [](auto&& a, auto&& b) { return a <= b; };
};
struct Greater {
  static constexpr auto apply = [](auto&& a, auto&& b) { return a > b; };
};
struct GreaterOrEqual {
  static constexpr auto apply = [](auto&& a, auto&& b) { return a >= b; };
};
struct Equal {
  static constexpr auto apply = [](auto&& a, auto&& b) { return a == b; };
};
struct NotEqual {
  static constexpr auto apply = [](auto&& a, auto&& b) { return a != b; };
};

#define GLASSFORMER_MUTANT_OPERATOR(symbol, Same)                                        \
  template <int number, class Other, class Left>                                         \
  auto operator symbol(Left&& left, Swap<number, Other>) {                               \
    return Half<number, std::pair<Same, Other>, Left>{std::forward<Left>(left)};         \
  }                                                                                      \
  template <int number, class Other, class Left, class Right>                            \
  auto operator symbol(Half<number, std::pair<Same, Other>, Left> half, Right&& right) { \
    return on(number) ? Other::apply(half.left, right) : Same::apply(half.left, right);  \
  }
GLASSFORMER_MUTANT_OPERATOR(+, Plus)
GLASSFORMER_MUTANT_OPERATOR(-, Minus)
GLASSFORMER_MUTANT_OPERATOR(*, Times)
GLASSFORMER_MUTANT_OPERATOR(/, Divided)
GLASSFORMER_MUTANT_OPERATOR(<, Less)
GLASSFORMER_MUTANT_OPERATOR(<=, LessOrEqual)
GLASSFORMER_MUTANT_OPERATOR(>, Greater)
GLASSFORMER_MUTANT_OPERATOR(>=, GreaterOrEqual)
GLASSFORMER_MUTANT_OPERATOR(==, Equal)
GLASSFORMER_MUTANT_OPERATOR(!=, NotEqual)
#undef GLASSFORMER_MUTANT_OPERATOR

/// A literal, or the other value if the mutant is on.
template <class Value>
Value literal(int number, Value value, Value other) {
  return on(number) ? other : value;
}

template <int number, class Value>
Value smaller(const Value& a, const Value& b) {
  return on(number) ? std::max(a, b) : std::min(a, b);
}
template <int number, class Value>
Value larger(const Value& a, const Value& b) {
  return on(number) ? std::min(a, b) : std::max(a, b);
}

}  // namespace glassformer::mutants

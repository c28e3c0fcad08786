#pragma once

#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "random_values.hpp"

/// The worked examples of the seeds, the five notebooks that this project began with: tests/fixtures/golden.json.
namespace glassformer::seeds {

inline const nlohmann::json& golden_entries() {
  static const nlohmann::json content = [] {
    std::ifstream file(GLASSFORMER_SOURCE_DIR "/tests/fixtures/golden.json");
    return nlohmann::json::parse(file);
  }();
  return content.at("entries");
}

/// JSON has no infinity or NaN, so they are strings there, spelled as in YAML.
inline double to_number(const nlohmann::json& value) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (!value.is_string()) {
    return value.get<double>();
  }
  if (value == ".inf") {
    return std::numeric_limits<double>::infinity();
  }
  if (value == "-.inf") {
    return -std::numeric_limits<double>::infinity();
  }
  if (value == ".nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  throw std::invalid_argument("not a number: " + value.dump());
}

/// Appends the innermost lists in order.
inline void append_rows(const nlohmann::json& list, std::vector<nlohmann::json>& rows) {
  if (!list.at(0).is_array()) {
    return rows.push_back(list);
  }
  for (const nlohmann::json& part : list) {
    append_rows(part, rows);
  }
}

/// A number becomes [1, 1], a list of numbers [1, N]. With more dimensions, all but the last are flattened into rows:
/// masks [B, 1, T, T] become [B * T, T] and weights [H, T, S] become [H * T, S], as masks and attention store them.
template <class Scalar = double>
Matrix<Scalar> to_matrix(const nlohmann::json& value) {
  std::vector<nlohmann::json> rows;
  append_rows(value.is_array() ? value : nlohmann::json::array({value}), rows);
  Matrix<Scalar> matrix(rows.size(), rows.front().size());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      const nlohmann::json& row = rows[static_cast<std::size_t>(i)];
      matrix(i, j) = static_cast<Scalar>(to_number(row.at(static_cast<std::size_t>(j))));
    }
  }
  return matrix;
}

struct Tolerance {
  double absolute = 0, relative = 0;

  /// Infinity, -infinity and NaN each match only themselves.
  bool allows(double got, double expected) const {
    if (!std::isfinite(expected)) {
      return std::isnan(expected) ? std::isnan(got) : got == expected;
    }
    return std::abs(got - expected) <= absolute + relative * std::abs(expected);
  }
};

/// For numbers printed with `count` decimals: half a unit of the last one.
inline Tolerance decimals(int count) { return {.absolute = 0.5 * std::pow(10, -count)}; }

/// One example: inputs, expected results, and their tolerance.
///
/// A key may point into a list or an object: "shapes/combined", "scores/0".
class Golden {
 public:
  explicit Golden(const std::string& id) : entry_(find(id)) {
    tolerance_ = {entry_.at("tolerance").at("abs"), entry_.at("tolerance").at("rel")};
  }
  Golden(const Golden&) = delete;
  Golden& operator=(const Golden&) = delete;

  /// Fails if the test checked some of the example's expected values but not all.
  ~Golden() noexcept(false) {
    if (checked_.empty() || std::uncaught_exceptions() > 0) {
      return;
    }
    for (const auto& [key, value] : entry_.at("expected").items()) {
      if (!checked_.contains(key)) {
        FAIL_CHECK(entry_.at("id") << " expects " << key << ", which was not checked");
      }
    }
  }

  template <class Scalar = double>
  Matrix<Scalar> input(const std::string& key) const {
    return to_matrix<Scalar>(at("inputs", key));
  }
  IdMatrix ids(const std::string& key) const { return buffer_of(input<Id>(key)); }
  Index integer(const std::string& key) const { return at("inputs", key).get<Index>(); }
  double number(const std::string& key) const { return to_number(at("inputs", key)); }
  std::vector<std::string> words(const std::string& key) const { return at("inputs", key); }
  Matrix<double> printed(const std::string& key) const { return to_matrix(at("seed_printed", key)); }

  /// Compares `got` with what the example expects under `key`: a number, words, or a matrix, ours or Eigen's.
  template <class Result>
  void check(const std::string& key, const Result& got) {
    checked_.insert(key.substr(0, key.find('/')));
    if constexpr (std::is_same_v<Result, std::vector<std::string>>) {
      CHECK(got == at("expected", key).get<std::vector<std::string>>());
    } else if constexpr (std::is_arithmetic_v<Result>) {
      compare("expected", key, Matrix<double>::Constant(1, 1, static_cast<double>(got)), tolerance_);
    } else {
      compare("expected", key, got, tolerance_);
    }
  }

  /// Compares `got` with what the notebook prints.
  void check_printed(const std::string& key, const auto& got, Tolerance tolerance) const {
    compare("seed_printed", key, got, tolerance);
  }
  /// The same within the example's tolerance, for examples whose inputs are printed digits too.
  void check_printed(const std::string& key, const auto& got) const { compare("seed_printed", key, got, tolerance_); }

 private:
  static const nlohmann::json& find(const std::string& id) {
    for (const nlohmann::json& entry : golden_entries()) {
      if (entry.at("id") == id) {
        return entry;
      }
    }
    throw std::invalid_argument("golden.json has no entry " + id);
  }
  const nlohmann::json& at(const std::string& part, const std::string& key) const {
    return entry_.at(part).at(nlohmann::json::json_pointer("/" + key));
  }
  void compare(const std::string& part, const std::string& key, const auto& got, Tolerance tolerance) const {
    const Matrix<double> expected = to_matrix(at(part, key));
    const Matrix<double> result = as_eigen(got).template cast<double>();
    INFO(entry_.at("id") << " " << part << " " << key);
    REQUIRE(result.rows() == expected.rows());
    REQUIRE(result.cols() == expected.cols());
    for (Index i = 0; i < expected.rows(); ++i) {
      for (Index j = 0; j < expected.cols(); ++j) {
        CAPTURE(i, j, result(i, j), expected(i, j));
        CHECK(tolerance.allows(result(i, j), expected(i, j)));
      }
    }
  }

  const nlohmann::json& entry_;
  Tolerance tolerance_;
  std::set<std::string> checked_;  // the expected keys that were checked
};

}  // namespace glassformer::seeds

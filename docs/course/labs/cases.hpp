#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "glassformer/model/masks.hpp"
#include "glassformer/numerics/matrix.hpp"
#include "random_values.hpp"

/// What a lab's cases.cpp is written with. A case runs the functions of the lab on some input and shows input and
/// output. It does not say what the output must be: the same case, run with the real functions, tells us that.
namespace glassformer::labs {

struct Case {
  std::string name;  ///< "one row, two keys"
  std::string law;   ///< what must hold, for someone who got it wrong: "the weights of a row add up to 1"
  void (*run)();
};

/// The cases of a lab, the simplest first: the first that fails is shown.
extern const std::vector<Case> cases;

/// The cases have a second set of numbers, for grading: the laws are the same, but it does not help to know the results
/// of `check` by heart.
extern bool grading;

/// One of two inputs: that of `check` or that of `grade`. Choose both so that the case makes its point.
template <class Input>
Input either(Input check, Input grade) {
  return grading ? grade : check;
}
using Numbers = Buffer<double>;  ///< either<Numbers>({{0, 1, 2}}, {{-1, 3, 0.5}})

/// Other random numbers for grading.
inline RandomValues random_values(std::uint64_t seed) { return RandomValues(either<std::uint64_t>(seed, seed + 1000)); }

/// Shows a matrix, mask or number with its name. Outputs are compared, inputs are only shown.
void input(const std::string& name, MatrixView<const double> numbers);
void input(const std::string& name, const IdMatrix& ids);
void input(const std::string& name, const Mask& mask);
void input(const std::string& name, double number);
void output(const std::string& name, MatrixView<const double> numbers);
void output(const std::string& name, const IdMatrix& ids);
void output(const std::string& name, const Mask& mask);
void output(const std::string& name, double number);

inline MatrixView<const double> row_matrix(RowView<const double> row) { return {row.data(), 1, row.size()}; }

/// A mask of one sentence with a row for each query, or with one row for all queries.
inline Mask mask_of(std::initializer_list<std::initializer_list<std::uint8_t>> rows) {
  return {1, static_cast<Index>(rows.size()), Buffer<std::uint8_t>(rows)};
}

/// Random numbers that are easy to read: multiples of `step` between -2 and 2, the same on every machine.
inline Buffer<double> round_numbers(RandomValues& random, Index rows, Index cols, double step = 0.25) {
  Buffer<double> numbers(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      numbers(i, j) = step * std::round(random.number(-2, 2) / step);
    }
  }
  return numbers;
}

}  // namespace glassformer::labs

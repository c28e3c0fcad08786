#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "glassformer/page/matrix_json.hpp"

using namespace glassformer;

TEST_CASE("In packed form, a matrix has the text of its packed numbers", "[page]") {
  const Matrix<double> numbers{{0, 1}};
  CHECK(matrix_json(numbers, MatrixForm::packed).dump() ==
        R"({"rows":1,"cols":2,"letters":3,"exponent":119,"packed":"}KN5"})");
}

TEST_CASE("In number form, a matrix is written row by row in short decimals, with null for NaN or infinity", "[page]") {
  Matrix<double> numbers(2, 3);
  numbers << 0.1F, -2, 1e-20, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
      1234567.8;
  const auto json = matrix_json(numbers, MatrixForm::numbers);
  CHECK(json.dump() == R"({"rows":2,"cols":3,"numbers":[0.1,-2.0,1e-20,null,null,1234567.8]})");
}

TEST_CASE("A mask has one character for each cell in packed form, and one number in number form", "[page]") {
  const Buffer<std::uint8_t> mask{{0, 1, 1}, {0, 0, 1}};
  CHECK(mask_json(mask, MatrixForm::packed).dump() == R"({"rows":2,"cols":3,"bits":"011001"})");
  const auto numbers = mask_json(mask, MatrixForm::numbers);
  CHECK(numbers.at("numbers").size() == 6);
  CHECK(numbers.at("numbers").at(1) == 1.0);
  CHECK(numbers.at("numbers").at(3) == 0.0);
}

#include <limits>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "glassformer/layers/pass.hpp"
#include "glassformer/recording/recording.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

/// 2x, computed in one line and recorded in the next.
Buffer<double> twice(const Pass& pass, const std::string& name, const Buffer<double>& x) {
  Buffer<double> y = buffer_of(2 * x.eigen());
  pass.record(name, "y [N, D] = 2 * {x}", y, x);
  return y;
}
constexpr int kLineOfRecord = __LINE__ - 3;

/// A pass with a recording, and a matrix.
struct RecordedExample {
  Recording recording;
  Pass pass;
  Buffer<double> x = RandomValues(1).matrix(3, 4);

  RecordedExample() { pass.recorder = &recording; }
  const RecordedStep& step(std::size_t i) const { return recording.steps()[i]; }
  const RecordedTensor& output(std::size_t i) const { return recording.tensors()[step(i).output]; }
  const RecordedTensor& input(std::size_t i, std::size_t number = 0) const {
    return recording.tensors()[step(i).inputs[number].tensor];
  }
};

}  // namespace

TEST_CASE("A recorded step stores its part of the model, its line, its file and its function", "[recording]") {
  RecordedExample e;
  twice(e.pass, "", e.x);
  twice(e.pass, "encoder.layers.12.self_attn", e.x);

  REQUIRE(e.recording.steps().size() == 2);
  CHECK(e.step(0).part.empty());
  CHECK(e.step(1).part == "encoder.layers.12.self_attn");
  CHECK(e.step(1).line == kLineOfRecord);
  CHECK(e.step(1).file.ends_with("tests/recording/test_recording.cpp"));
  CHECK(e.step(1).function == "twice");
  CHECK(e.output(1).part == "encoder.layers.12.self_attn");
}

TEST_CASE("Names, axes and the formula are parsed from the text of an equation", "[recording]") {
  RecordedExample e;
  const Buffer<double> weight = RandomValues(2).matrix(2, 4);
  const Buffer<double> y = buffer_of((e.x.eigen() * weight.eigen().transpose()).eval());
  const Buffer<double> sum = buffer_of(y.eigen().colwise().sum());
  e.pass.record("", "y [N, out] = {x} {weight [out, in]}^T", y, e.x, weight);
  e.pass.record("", "d_bias [1, out] += sum over n of {y}[n] [sic]", sum, y);

  REQUIRE(e.recording.steps().size() == 2);
  const RecordedStep& product = e.step(0);
  CHECK(product.formula == "{x} {weight}^T");
  CHECK_FALSE(product.adds);
  REQUIRE(product.inputs.size() == 2);
  CHECK(product.inputs[0].name == "x");
  CHECK(product.inputs[1].name == "weight");
  const RecordedTensor& y_seen = e.output(0);
  const RecordedTensor& x_seen = e.input(0, 0);
  const RecordedTensor& weight_seen = e.input(0, 1);
  CHECK((y_seen.name == "y" && y_seen.axes == "N, out" && y_seen.computed));
  CHECK((x_seen.name == "x" && x_seen.axes.empty() && !x_seen.computed));
  CHECK((weight_seen.name == "weight" && weight_seen.axes == "out, in" && !weight_seen.computed));
  CHECK(same_bits(y_seen.values, y));
  CHECK(same_bits(weight_seen.values, weight));

  CHECK(e.step(1).formula == "sum over n of {y}[n] [sic]");  // brackets outside of braces are not axes
  CHECK(e.step(1).adds);
  CHECK(e.output(1).name == "d_bias");
  CHECK(e.output(1).axes == "1, out");
}

TEST_CASE("An input is the tensor last recorded at its location if the numbers and the shape are the same",
          "[recording]") {
  RecordedExample e;
  Buffer<double> y = buffer_of(2 * e.x.eigen());
  Buffer<double> z = y;
  e.pass.record("", "y [N, D] = 2 * {x}", y, e.x);
  e.pass.record("", "z [N, D] = {another_name}", z, y);
  CHECK(&e.input(1) == &e.output(0));

  y(1, 3) += 1;  // a change that is not recorded
  e.pass.record("", "z [N, D] = {y}", z, y);
  CHECK(&e.input(2) != &e.output(0));
  CHECK_FALSE(e.input(2).computed);
  CHECK(e.input(2).values(1, 3) == y(1, 3));

  const auto left_half = e.x.view().middle_cols(0, 2);  // begins at the same address as x
  e.pass.record("", "z [N, D] = {left half}", z, left_half);
  CHECK(&e.input(3) != &e.input(0));
  CHECK(same_bits(e.input(3).values, left_half));
  e.pass.record("", "z [N, D] = {x}", z, e.x);
  CHECK(&e.input(4) == &e.input(0));
}

TEST_CASE("A given tensor is recorded once, even if it contains NaN", "[recording]") {
  RecordedExample e;
  e.x(0, 1) = std::numeric_limits<double>::quiet_NaN();
  const Buffer<double> y = e.x;
  const Buffer<double> z = e.x;
  e.pass.record("", "y [N, D] = {weight [out, in]}", y, e.x);
  e.pass.record("", "z [N, D] = {weight}", z, e.x);
  CHECK(e.recording.tensors().size() == 3);
  CHECK(&e.input(0) == &e.input(1));
}

TEST_CASE("The input of an in-place step is what was there before", "[recording]") {
  RecordedExample e;
  Buffer<double> y = twice(e.pass, "", e.x);
  const Buffer<double> before = y;
  y.eigen() *= 10;
  e.pass.record("", "z [N, D] = 10 * {y}", y, y);
  y.eigen() += e.x.eigen();
  e.pass.record("", "sum [N, D] = {x} + {z}", y, e.x, y);

  CHECK(&e.input(1) == &e.output(0));
  CHECK(same_bits(e.output(0).values, before));
  CHECK(&e.input(2, 1) == &e.output(1));
  CHECK(same_bits(e.output(1).values, 10 * before.eigen()));
  CHECK(same_bits(e.output(2).values, y));
}

TEST_CASE("An in-place step whose input was never recorded is a programming error", "[recording]") {
  RecordedExample e;
  CHECK_THROWS_AS(e.pass.record("part", "z [N, D] = 10 * {y}", e.x, e.x), std::logic_error);
}

TEST_CASE("The last input of a += is the old value, if it was recorded", "[recording]") {
  RecordedExample e;
  Buffer<double> sum = e.x;
  e.pass.record("", "sum [N, D] += {x}", sum, e.x);
  sum.eigen() += e.x.eigen();
  e.pass.record("", "sum [N, D] += {x}", sum, e.x);

  CHECK(e.step(0).inputs.size() == 1);
  REQUIRE(e.step(1).inputs.size() == 2);
  CHECK(e.step(1).inputs[0].name == "x");
  CHECK(e.step(1).inputs[1].name == "sum so far");
  CHECK(&e.input(1, 1) == &e.output(0));
  CHECK(same_bits(e.output(0).values, e.x));
  CHECK(same_bits(e.output(1).values, 2 * e.x.eigen()));
}

TEMPLATE_TEST_CASE("Numbers of any type, blocks and rows are recorded as they are", "[recording]", float, double,
                   std::uint8_t, Id) {
  RecordedExample e;
  Buffer<TestType> numbers(3, 5);
  for (Index i = 0; i < 15; ++i) {
    numbers(i / 5, i % 5) = static_cast<TestType>(i % 4);
  }
  const auto block = numbers.view().middle_cols(1, 3);
  e.pass.record("", "block [N, D] = some columns of {numbers}", block, numbers);
  e.pass.record("", "row [1, D] = one row of {numbers}", numbers.row(1), numbers);
  CHECK(same_bits(e.output(0).values, block.eigen().template cast<double>()));
  CHECK(same_bits(e.output(1).values, numbers.row(1).eigen().template cast<double>()));
}

TEST_CASE("Without a recorder, nothing is recorded", "[recording]") {
  RecordedExample e;
  const Buffer<double> y = twice({}, "", e.x);
  CHECK(same_bits(y, 2 * e.x.eigen()));
  CHECK(e.recording.steps().empty());
  twice(e.pass, "", e.x);
  CHECK(e.recording.steps().size() == 1);
}

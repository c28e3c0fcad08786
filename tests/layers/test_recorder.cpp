#include <limits>
#include <string>

#include "catch.hpp"
#include "layers/recorder.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

using Numbers = Matrix<double>;

/// One line that computes, one that records.
Numbers twice(const Recorder& recorder, const Numbers& x) {
  const Numbers y = 2 * x;
  recorder.record("y [N, D] = 2 * {x}", y, x);
  return y;
}
constexpr int kLineOfRecord = __LINE__ - 3;

Numbers random(Index rows, Index cols, std::uint64_t seed = 1) { return RandomValues(seed).matrix(rows, cols); }

}  // namespace

TEST_CASE("A step tells its part of the model, its line, its file and its function", "[layers]") {
  Recording recording;
  const Recorder whole(recording);
  const Recorder encoder = whole.at("encoder"), layer = encoder.at("layers", 12), attention = layer.at("self_attn");
  const Numbers x = random(2, 3);
  twice(whole, x);
  twice(attention, x);
  twice(layer, x);

  REQUIRE(recording.steps().size() == 3);
  CHECK(recording.steps()[0].part.empty());
  CHECK(recording.steps()[1].part == "encoder.layers.12.self_attn");
  CHECK(recording.steps()[2].part == "encoder.layers.12");
  const RecordedStep& step = recording.steps()[1];
  CHECK(step.line == kLineOfRecord);
  CHECK(step.file.ends_with("tests/layers/test_recorder.cpp"));
  CHECK(step.function == "twice");
  CHECK(recording.tensors()[step.output].part == step.part);
}

TEST_CASE("Equations and tensors are cut from the text: names, axes, formula", "[layers]") {
  Recording recording;
  const Recorder recorder(recording);
  const Numbers x = random(4, 3), weight = random(2, 3), y = x * weight.transpose();
  Numbers sum = y.colwise().sum();
  recorder.record("y [N, out] = {x} {weight [out, in]}^T", y, x, weight);
  recorder.record("d_bias [1, out] += sum over n of {y}[n] [sic]", sum, y);

  REQUIRE(recording.steps().size() == 2);
  const RecordedStep &product = recording.steps()[0], &sums = recording.steps()[1];
  CHECK(product.formula == "{x} {weight}^T");
  CHECK_FALSE(product.adds);
  REQUIRE(product.inputs.size() == 2);
  CHECK(product.inputs[0].name == "x");
  CHECK(product.inputs[1].name == "weight");
  const RecordedTensor &y_seen = recording.tensors()[product.output];
  const RecordedTensor &x_seen = recording.tensors()[product.inputs[0].tensor];
  const RecordedTensor &weight_seen = recording.tensors()[product.inputs[1].tensor];
  CHECK((y_seen.name == "y" && y_seen.axes == "N, out" && y_seen.computed));
  CHECK((x_seen.name == "x" && x_seen.axes.empty() && !x_seen.computed));
  CHECK((weight_seen.name == "weight" && weight_seen.axes == "out, in" && !weight_seen.computed));
  CHECK(same_bits(y_seen.values, y));
  CHECK(same_bits(weight_seen.values, weight));

  CHECK(sums.formula == "sum over n of {y}[n] [sic]");  // brackets outside of braces are no axes
  CHECK(sums.adds);
  CHECK(recording.tensors()[sums.output].name == "d_bias");
  CHECK(recording.tensors()[sums.output].axes == "1, out");
}

TEST_CASE("An input is what was last recorded at its place, as long as the numbers and the shape are the same",
          "[layers]") {
  Recording recording;
  const Recorder recorder(recording);
  Numbers x = random(2, 4), y = 2 * x, z = y;
  recorder.record("y [N, D] = 2 * {x}", y, x);
  recorder.record("z [N, D] = {another_name}", z, y);
  const auto input = [&](std::size_t step) { return recording.steps()[step].inputs[0].tensor; };
  CHECK(input(1) == recording.steps()[0].output);

  y(1, 3) += 1;  // and nobody said so
  recorder.record("z [N, D] = {y}", z, y);
  CHECK(input(2) != recording.steps()[0].output);
  CHECK_FALSE(recording.tensors()[input(2)].computed);
  CHECK(recording.tensors()[input(2)].values(1, 3) == y(1, 3));

  recorder.record("z [N, D] = {left half}", z, x.leftCols(2));  // begins where x does
  CHECK(input(3) != input(0));
  CHECK(same_bits(recording.tensors()[input(3)].values, x.leftCols(2)));
  recorder.record("z [N, D] = {x}", z, x);
  CHECK(input(4) == input(0));
}

TEST_CASE("What is given is recorded once, and a NaN in it is the same NaN", "[layers]") {
  Recording recording;
  const Recorder recorder(recording);
  Numbers weight = random(2, 2);
  weight(0, 1) = std::numeric_limits<double>::quiet_NaN();
  const Numbers y = random(2, 2), z = random(2, 2);
  recorder.record("y [N, D] = {weight [out, in]}", y, weight);
  recorder.record("z [N, D] = {weight}", z, weight);
  CHECK(recording.tensors().size() == 3);
  CHECK(recording.steps()[0].inputs[0].tensor == recording.steps()[1].inputs[0].tensor);
}

TEST_CASE("The input of a step in place is what was there before", "[layers]") {
  Recording recording;
  const Recorder recorder(recording);
  const Numbers x = random(3, 3);
  Numbers y = twice(recorder, x);
  recorder.record("y [N, D] = 2 * {x}", y, x);
  const Numbers before = y;
  y *= 10;
  recorder.record("z [N, D] = 10 * {y}", y, y);
  y += x;
  recorder.record("sum [N, D] = {x} + {z}", y, x, y);

  const RecordedStep &times = recording.steps()[2], &sum = recording.steps()[3];
  CHECK(times.inputs[0].tensor == recording.steps()[1].output);
  CHECK(same_bits(recording.tensors()[times.inputs[0].tensor].values, before));
  CHECK(sum.inputs[1].tensor == times.output);
  CHECK(same_bits(recording.tensors()[times.output].values, 10 * before));
  CHECK(same_bits(recording.tensors()[sum.output].values, y));
}

TEST_CASE("What is added to is the last input of a +=, if it was recorded", "[layers]") {
  Recording recording;
  const Recorder recorder(recording);
  const Numbers x = random(2, 2);
  Numbers sum = x;
  recorder.record("sum [N, D] += {x}", sum, x);
  sum += x;
  recorder.record("sum [N, D] += {x}", sum, x);

  const RecordedStep &first = recording.steps()[0], &second = recording.steps()[1];
  CHECK(first.inputs.size() == 1);
  REQUIRE(second.inputs.size() == 2);
  CHECK(second.inputs[0].name == "x");
  CHECK(second.inputs[1].name == "sum so far");
  CHECK(second.inputs[1].tensor == first.output);
  CHECK(same_bits(recording.tensors()[first.output].values, x));
  CHECK(same_bits(recording.tensors()[second.output].values, 2 * x));
}

TEST_CASE("A copy is what it was copied from", "[layers]") {
  Recording recording;
  const Recorder recorder(recording);
  const Numbers x = random(2, 2);
  const Numbers y = twice(recorder, x);
  recorder.record("y [N, D] = 2 * {x}", y, x);
  Numbers copy = y;
  recorder.copied(y, copy);
  copy += x;
  recorder.record("sum [N, D] = {x} + {sublayer}", copy, x, copy);
  CHECK(recording.steps().size() == 3);
  CHECK(recording.steps()[2].inputs[1].tensor == recording.steps()[1].output);
  CHECK(same_bits(recording.tensors()[recording.steps()[1].output].values, y));
}

TEMPLATE_TEST_CASE("Numbers of any kind and any block of them are recorded as they are", "[layers]", float, double,
                   std::uint8_t, Id) {
  Recording recording;
  const Recorder recorder(recording);
  Buffer<TestType> numbers(3, 5);
  for (Index i = 0; i < 15; ++i) numbers(i / 5, i % 5) = static_cast<TestType>(i % 4);
  const auto block = numbers.middleCols(1, 3);
  recorder.record("block [N, D] = some columns of {numbers}", block, numbers);
  const Matrix<double>& seen = recording.tensors()[recording.steps()[0].output].values;
  CHECK(same_bits(seen, Matrix<double>(block.template cast<double>())));
}

TEST_CASE("Without a recording nothing is recorded, however deep one goes", "[layers]") {
  Recording recording;
  const Recorder nothing, whole(recording);
  const Recorder inner = nothing.at("encoder"), innermost = inner.at("layers", 3);
  const Numbers x = random(2, 2), y = twice(innermost, x);
  innermost.copied(x, y);
  CHECK(same_bits(y, 2 * x));
  CHECK(recording.steps().empty());
  twice(whole, x);
  CHECK(recording.steps().size() == 1);
}

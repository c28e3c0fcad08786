#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "glassformer/model/transformer.hpp"
#include "glassformer/training/optimizer.hpp"
#include "random_values.hpp"
#include "training/pytorch_fixture.hpp"

using namespace glassformer;
using pytorch::json;

namespace {

/// The largest allowed difference, relative to the largest number in PyTorch's tensor.
template <class Scalar>
constexpr double kLargestError = std::is_same_v<Scalar, double> ? 1e-9 : 1e-4;

double largest_of(const json& tensor) { return pytorch::numbers(tensor).cwiseAbs().maxCoeff(); }

template <class Scalar>
void check_numbers(const auto& actual, const json& expected, double largest) {
  const RowVector<double> numbers = pytorch::numbers(expected);
  REQUIRE(actual.size() == numbers.size());
  CHECK(largest_difference(actual, numbers) / largest < kLargestError<Scalar>);
}

/// Checks every tensor. The names and shapes must be exactly PyTorch's.
template <class Scalar>
void check_tensors(const Arena<Scalar>& actual, const json& expected, bool gradient) {
  std::map<std::string, std::vector<Index>> ours;
  std::map<std::string, std::vector<Index>> theirs;
  for (const TensorPlace& tensor : actual.tensors()) {
    ours[tensor.name] = tensor.shape;
  }
  for (const auto& [name, tensor] : expected.items()) {
    theirs[name] = pytorch::shape(tensor);
  }
  REQUIRE(ours == theirs);

  double largest_of_all = 0;
  for (const json& tensor : expected) {
    largest_of_all = std::max(largest_of_all, largest_of(tensor));
  }
  for (const TensorPlace& tensor : actual.tensors()) {
    CAPTURE(tensor.name, gradient);
    const json& numbers = expected.at(tensor.name);
    // A key bias adds the same to all scores of a query, which does not change the softmax. So its gradient is 0 except
    // for rounding, and the error is relative to the largest of all gradients instead.
    const bool zero = gradient && tensor.name.ends_with("k_proj.bias");
    check_numbers<Scalar>(actual.values(tensor), numbers, zero ? largest_of_all : largest_of(numbers));
  }
}

/// Compares forward and backward of the whole model, and then ten updates, with PyTorch's recorded results.
template <class Scalar>
void check_case(const std::string& name) {
  const json torch = pytorch::fixture(name);
  Transformer<Scalar> model(pytorch::settings(torch), pytorch::vocabulary(torch),
                            torch.at("settings").at("label_smoothing"));
  const pytorch::Batch batch = pytorch::batch(torch);
  const double rate = torch.at("adam").at("learning_rate");
  const json& losses = torch.at("losses");
  const json& logits = torch.at("logits");

  Arena<Scalar> weights(model.tensors());
  Arena<Scalar> gradient(model.tensors());
  model.bind(weights, gradient);
  for (const TensorPlace& tensor : weights.tensors()) {
    weights.values(tensor).eigen() = pytorch::numbers(torch.at("parameters").at(tensor.name)).template cast<Scalar>();
  }
  const std::span<Scalar> p = weights.values();
  const std::span<const Scalar> g = gradient.values();
  Optimizer<Scalar> optimizer(pytorch::optimizer(torch), weights.tensors());

  REQUIRE(losses.size() == 10);
  for (Index update = 1; update <= 10; ++update) {
    CAPTURE(update);
    if (update == 1) {
      const auto& memory = model.encode({}, batch.source, batch.masks.encoder_padding);
      const Matrix<Scalar> found = model.decode({}, batch.target_input, memory, batch.masks).eigen();
      check_numbers<Scalar>(RowView<const Scalar>(found.data(), found.size()), logits, largest_of(logits));
    }
    const LossSum sum = model.forward({}, batch.input());
    const auto tokens = static_cast<double>(sum.tokens);
    const double loss = losses.at(static_cast<std::size_t>(update - 1));
    CHECK(std::abs(sum.loss / tokens - loss) / loss < kLargestError<Scalar>);

    std::ranges::fill(gradient.values(), Scalar{0});
    model.backward({}, static_cast<Scalar>(1 / tokens));
    if (update == 1) {
      check_tensors(gradient, torch.at("gradient"), true);
    }
    optimizer.update(p, g, euclidean_norm(g), rate, update);
  }
  check_tensors(weights, torch.at("updated_parameters"), false);
}

}  // namespace

// scripts/fixtures/make_torch_fixtures.py makes the padded batch, the random parameters and the optimizer settings.

TEMPLATE_TEST_CASE("PyTorch agrees: post-norm, ReLU, nothing tied, no label smoothing", "[pytorch]", double, float) {
  check_case<TestType>("post_relu_untied");
}

TEMPLATE_TEST_CASE("PyTorch agrees: post-norm, GELU, target and output tied, label smoothing, clipping", "[pytorch]",
                   double, float) {
  check_case<TestType>("post_gelu_target");
}

TEMPLATE_TEST_CASE("PyTorch agrees: post-norm, swish, all embeddings tied, label smoothing", "[pytorch]", double,
                   float) {
  check_case<TestType>("post_swish_all");
}

TEMPLATE_TEST_CASE("PyTorch agrees: pre-norm, ReLU, target and output tied, label smoothing", "[pytorch]", double,
                   float) {
  check_case<TestType>("pre_relu_target");
}

TEMPLATE_TEST_CASE("PyTorch agrees: pre-norm, GELU, all embeddings tied, no label smoothing", "[pytorch]", double,
                   float) {
  check_case<TestType>("pre_gelu_all");
}

TEMPLATE_TEST_CASE("PyTorch agrees: pre-norm, swish, nothing tied, label smoothing, clipping", "[pytorch]", double,
                   float) {
  check_case<TestType>("pre_swish_untied");
}

TEMPLATE_TEST_CASE("PyTorch agrees: post-norm, ReLU, all embeddings tied, clipping, Muon and AdamW", "[pytorch]",
                   double, float) {
  check_case<TestType>("post_relu_all_muon");
}

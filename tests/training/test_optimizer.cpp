#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "every_value.hpp"
#include "glassformer/numerics/parameter.hpp"
#include "glassformer/training/optimizer.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

namespace {

/// The optimizer of one parameter, in plain double precision, for comparison. (Muon is for matrices: test_muon.cpp.)
struct PlainOptimizer {
  OptimizerSettings s;
  double m = 0, v = 0;
  double update(double p, double g, double rate, int t) {
    if (s.kind != OptimizerSettings::Kind::adam) {
      p -= rate * s.weight_decay * p;
    } else {
      g += s.weight_decay * p;
    }
    m = s.beta1 * m + (1 - s.beta1) * g;
    v = s.beta2 * v + (1 - s.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(s.beta1, t));
    const double v_hat = v / (1 - std::pow(s.beta2, t));
    return p - rate * m_hat / (std::sqrt(v_hat) + s.epsilon);
  }
};

std::vector<TensorPlace> one_vector(Index size) {
  return {{.name = "v", .shape = {size}, .role = Role::bias, .offset = 0, .size = size}};
}

/// Consecutive tensors. Two of them are matrices of layers, which their names do not show.
std::vector<TensorPlace> mixed_tensors() {
  const BoundMemory<float> unused;
  ParameterCursor<float> cursor(unused);
  cursor.matrix("encoder.layers.0.table", 500, 120, Role::source_embedding);
  cursor.vector("a", 500, Role::output_bias);
  cursor.matrix("b", 200, 120, Role::projection);
  cursor.vector("c", 200, Role::bias);
  cursor.matrix("d", 120, 200, Role::value);
  cursor.vector("e", 120, Role::gain);
  return cursor.tensors();
}

}  // namespace

TEST_CASE("Every optimizer follows its formula over twenty updates, weight decay included", "[training]") {
  for (const auto kind : every_value<OptimizerSettings::Kind>(OptimizerSettings::kNames)) {
    CAPTURE(static_cast<int>(kind));
    const OptimizerSettings settings{.kind = kind, .epsilon = 1e-3, .weight_decay = 0.1, .clip_norm = 0};
    RandomValues random(1);
    std::vector<float> p(5);
    std::vector<float> g(5);
    std::vector<double> plain(5);
    for (std::size_t i = 0; i < 5; ++i) {
      plain[i] = p[i] = static_cast<float>(random.number());
    }
    std::vector<PlainOptimizer> expected(5, {settings});
    Optimizer<float> optimizer(settings, one_vector(5));
    for (int t = 1; t <= 20; ++t) {
      for (std::size_t i = 0; i < 5; ++i) {
        g[i] = static_cast<float>(random.number());
        plain[i] = expected[i].update(plain[i], g[i], 0.01, t);
      }
      optimizer.update(p, g, euclidean_norm<float>(g), 0.01, t);
    }
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(p[i] == Approx(plain[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("the first update of Adam moves each parameter by the rate against its gradient's sign", "[training]") {
  // m / (1 - beta1) is g and v / (1 - beta2) is g^2: without the corrections the step would be smaller.
  std::vector<float> p = {1, 1, 1};
  const std::vector<float> g = {0.5F, -20, 0.001F};
  Optimizer<float> adam({.clip_norm = 0}, one_vector(3));
  adam.update(p, g, euclidean_norm<float>(g), 0.1, 1);
  CHECK(p[0] == Approx(0.9));
  CHECK(p[1] == Approx(1.1));
  CHECK(p[2] == Approx(0.9));
}

TEST_CASE("a gradient longer than clip_norm is scaled down to it, and a shorter one is left alone", "[training]") {
  const std::vector<float> g = {3, 4};
  CHECK(euclidean_norm<float>(g) == Approx(5));
  for (const double clip : {1.0, 5.0, 10.0}) {
    std::vector<float> p = {0, 0};
    Optimizer<float> adam({.beta1 = 0.9, .clip_norm = clip}, one_vector(2));
    adam.update(p, g, 5, 0.1, 1);
    CHECK(adam.m()[0] == Approx(0.1 * 3 * std::min(1.0, clip / 5)));
    CHECK(adam.m()[1] == Approx(0.1 * 4 * std::min(1.0, clip / 5)));
  }
}

TEST_CASE("muon updates the matrices of layers differently from adamw, and everything else the same", "[training]") {
  const std::vector<TensorPlace> tensors = mixed_tensors();
  const Index size = tensors.back().offset + tensors.back().size;
  RandomValues random(3);
  Buffer<float> gradient = random.matrix<float>(1, size);
  Buffer<float> start = random.matrix<float>(1, size);
  const std::span<const float> g(gradient.data(), static_cast<std::size_t>(size));
  const auto updated = [&](OptimizerSettings::Kind kind) {
    std::vector<float> p(start.data(), start.data() + size);
    Optimizer<float> optimizer({.kind = kind, .weight_decay = 0.1}, tensors);
    for (Index t = 1; t <= 3; ++t) {
      optimizer.update(p, g, euclidean_norm(g), 0.01, t);
    }
    return p;
  };
  const std::vector<float> muon = updated(OptimizerSettings::Kind::muon);
  const std::vector<float> adamw = updated(OptimizerSettings::Kind::adamw);
  for (const TensorPlace& tensor : tensors) {
    CAPTURE(tensor.name);
    const bool of_layer = tensor.name == "b" || tensor.name == "d";
    const auto begin = muon.begin() + tensor.offset;
    CHECK(std::equal(begin, begin + tensor.size, adamw.begin() + tensor.offset) == !of_layer);
  }
}

TEST_CASE("norm and update have the same bits on 1, 2 and 5 threads", "[training][threads]") {
  RandomValues random(2);
  const std::vector<TensorPlace> tensors = mixed_tensors();  // several ranges, the last one shorter
  const Index size = tensors.back().offset + tensors.back().size;
  Buffer<float> gradient = random.matrix<float>(1, size);
  Buffer<float> start = random.matrix<float>(1, size);
  const std::span<const float> g(gradient.data(), static_cast<std::size_t>(size));
  for (const auto kind : every_value<OptimizerSettings::Kind>(OptimizerSettings::kNames)) {
    std::vector<std::vector<float>> results;
    std::vector<double> norms;
    for (const int threads : {1, 2, 5}) {
      const WithThreads with_threads(threads);
      std::vector<float> p(start.data(), start.data() + size);
      Optimizer<float> optimizer({.kind = kind}, tensors);
      norms.push_back(euclidean_norm<float>(g));
      for (Index t = 1; t <= 3; ++t) {
        optimizer.update(p, g, norms.back(), 0.01, t);
      }
      results.push_back(p);
    }
    CHECK(norms[0] == norms[1]);
    CHECK(norms[0] == norms[2]);
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
  }
}

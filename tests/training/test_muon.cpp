#include <Eigen/SVD>

#include "catch.hpp"
#include "glassformer/training/muon.hpp"
#include "random_values.hpp"

using namespace glassformer;

TEST_CASE("orthogonalize brings singular values close to 1 and keeps singular vectors", "[training]") {
  RandomValues random(1);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{16, 16}, {12, 30}, {30, 12}}) {
    CAPTURE(rows, cols);
    Buffer<double> x = random.matrix(rows, cols);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(x.eigen(), Eigen::ComputeThinU | Eigen::ComputeThinV);
    REQUIRE(svd.singularValues().minCoeff() > 0.005 * svd.singularValues().norm());  // enough for five steps
    NewtonSchulzMemory<double> memory;
    orthogonalize<double>(x, memory);
    const Eigen::MatrixXd values = svd.matrixU().transpose() * x.eigen() * svd.matrixV();
    CHECK(values.diagonal().minCoeff() > 0.6);
    CHECK(values.diagonal().maxCoeff() < 1.25);
    CHECK(largest_difference(values, Eigen::MatrixXd(values.diagonal().asDiagonal())) < 1e-9);
    CHECK(largest_difference(x, svd.matrixU() * values * svd.matrixV().transpose()) < 1e-9);
  }
}

TEST_CASE("orthogonalize gives the same result for a matrix and a multiple of it, and keeps zeros", "[training]") {
  RandomValues random(2);
  Buffer<double> x = random.matrix(5, 7);
  Buffer<double> scaled(5, 7);
  Buffer<double> zeros(5, 7);
  scaled.eigen() = 1000 * x.eigen();
  zeros.fill(0);
  NewtonSchulzMemory<double> memory;
  for (Buffer<double>* matrix : {&x, &scaled, &zeros}) {
    orthogonalize<double>(*matrix, memory);
  }
  CHECK(largest_difference(x, scaled) < 1e-9);
  CHECK((zeros.eigen().array() == 0).all());
}

TEST_CASE("Muon leaves other parameters alone, and reuses its buffers for matrices of several shapes", "[training]") {
  // Gradients with orthonormal columns: all singular values are 1, and five steps keep them equal.
  std::vector<TensorPlace> places = {{.name = "a", .shape = {2, 2}, .role = Role::projection, .offset = 1, .size = 4},
                                     {.name = "b", .shape = {3, 2}, .role = Role::query, .offset = 6, .size = 6}};
  const std::vector<double> g = {9, 0, 1, -1, 0, 9, 1, 0, 0, 0, 0, 1, 9};
  std::vector<double> p(13, 1);
  std::vector<double> m(13, 0);
  Muon<double> muon(0.9, 0.5, places);
  muon.update(p, g, 1.0, 0.1, m);
  for (const std::size_t other : {0U, 5U, 12U}) {
    CHECK((p[other] == 1 && m[other] == 0));
  }
  for (std::size_t i = 1; i < 12; ++i) {
    if (i == 5) {
      continue;
    }
    CAPTURE(i);
    CHECK(m[i] == Approx(0.1 * g[i]));
    const double shrunk = 1 - 0.1 * 0.5;
    const double moved = (shrunk - p[i]) * g[i];  // against the gradient's sign
    if (g[i] == 0) {
      CHECK(p[i] == Approx(shrunk));
    } else {
      CHECK(moved > 0.1 * 0.2 * std::sqrt(i < 5 ? 2 : 3) * 0.65);
      CHECK(moved < 0.1 * 0.2 * std::sqrt(i < 5 ? 2 : 3) * 1.25);
    }
  }
}

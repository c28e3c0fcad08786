#include <cmath>

#include "glassformer/numerics/row_operations.hpp"
#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

namespace {

const Mask kSomeVisible = mask_of(Table{{0, 1, 1, 0}, {0, 0, 0, 0}, {1, 1, 0, 1}});  // every query sees something

}  // namespace

TEST_CASE("If every query sees something, all ways of masking give the same weights", "[layers]") {
  RandomValues random(1);
  const Matrix<double> scores = 3 * random.matrix(3, 4).eigen();
  const Matrix<double> expected = masked_softmax(scores, kSomeVisible);
  for (const double value : {-1e9, kMinusInfinity<double>}) {
    const Matrix<double> weights = unmasked_softmax<double>(scores + additive_mask<double>(kSomeVisible, value));
    CHECK(largest_difference(weights, expected) < 1e-6);  // near 1e9, doubles keep seven decimals
    CHECK(kSomeVisible.blocked.eigen().cast<double>().cwiseProduct(weights).isZero(0));
  }
  CHECK(largest_difference(renormalised(mask_after_softmax(scores, kSomeVisible)), expected) < 1e-15);
}

TEST_CASE("A mask with one row for all queries masks the weights of each", "[layers]") {
  RandomValues random(2);
  const Matrix<double> scores = random.matrix(3, 4).eigen();
  const Mask padding = padding_mask(IdMatrix{{7, 8, 0, 0}}, 0);
  CHECK(additive_mask<double>(padding, -5) == Matrix<double>{{0, 0, -5, -5}});
  const Matrix<double> weights = mask_after_softmax(scores, padding);
  CHECK(weights.leftCols(2) == unmasked_softmax(scores).leftCols(2));
  CHECK(weights.rightCols(2).isZero(0));
}

TEST_CASE("What each way of masking gives to a query that sees nothing", "[layers]") {
  const Matrix<double> scores{{0.5, 1, -0.25, 2}};
  const Mask all = mask_of(Table::Ones(1, 4));
  CHECK(unmasked_softmax<double>(scores + additive_mask<double>(all, kMinusInfinity<double>)).array().isNaN().all());
  CHECK(renormalised(mask_after_softmax(scores, all)).array().isNaN().all());
  const Matrix<double> as_if_unmasked = unmasked_softmax<double>(scores + additive_mask<double>(all, -1e9));
  CHECK(largest_difference(as_if_unmasked, unmasked_softmax(scores)) < 1e-6);
  CHECK(masked_softmax(scores, all).isZero(0));
}

TEST_CASE("Without division by its sum, a row masked after the softmax reveals what was blocked", "[layers]") {
  const Mask mask = mask_of(Table{{0, 0, 1}});
  const Matrix<double> low{{0, 0, 0}};
  const Matrix<double> high{{0, 0, 5}};  // they differ in what is blocked
  CHECK(mask_after_softmax(low, mask).sum() == Approx(2 / 3.0));
  CHECK(mask_after_softmax(high, mask).sum() == Approx(2 / (2 + std::exp(5.0))));
  CHECK(renormalised(mask_after_softmax(high, mask))(0) == Approx(0.5));
}

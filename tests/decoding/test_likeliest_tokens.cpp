#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "glassformer/decoding/likeliest_tokens.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

constexpr SpecialIds kChosenFrom{.pad = 0, .bos = 1, .eos = 2};

std::vector<Id> ids_of(std::span<const NextToken> tokens) {
  std::vector<Id> ids;
  for (const NextToken& token : tokens) {
    ids.push_back(token.id);
  }
  return ids;
}

std::span<const NextToken> choose(LikeliestTokens& likeliest, const std::vector<float>& logits, std::size_t count) {
  return likeliest.choose({logits.data(), std::ssize(logits)}, count);
}

}  // namespace

TEST_CASE("the most likely tokens are those that a full sort puts first", "[decoding]") {
  const Index V = GENERATE(3, 5, 63, 64, 65, 1000);
  const std::size_t count = GENERATE(1U, 2U, 10U, 2000U);
  RandomValues random(static_cast<std::uint64_t>(V));
  std::vector<float> logits(static_cast<std::size_t>(V));
  for (float& logit : logits) {
    logit = static_cast<float>(std::round(random.number(-9, 9)));  // many are equal
  }

  std::vector<Id> expected(logits.size() - 2);
  std::iota(expected.begin(), expected.end(), 2);  // pad 0 and bos 1 are not chosen
  std::stable_sort(expected.begin(), expected.end(), [&](Id a, Id b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  expected.resize(std::min(expected.size(), count));
  LikeliestTokens likeliest(kChosenFrom);
  CHECK(ids_of(choose(likeliest, logits, count)) == expected);
}

TEST_CASE("log-probabilities are over all tokens, including those that may not be chosen", "[decoding]") {
  const std::vector<float> logits = {std::log(0.4F) + 90, std::log(0.1F) + 90, std::log(0.2F) + 90,
                                     std::log(0.3F) + 90};
  LikeliestTokens likeliest(kChosenFrom);
  const auto tokens = choose(likeliest, logits, 4);
  REQUIRE(ids_of(tokens) == std::vector<Id>{3, 2});
  CHECK(tokens[0].log_probability == Approx(std::log(0.3)).epsilon(1e-5));
  CHECK(tokens[1].log_probability == Approx(std::log(0.2)).epsilon(1e-5));
}

TEST_CASE("eos may be chosen even if it is also bos or pad", "[decoding]") {
  LikeliestTokens likeliest({.pad = 2, .bos = 2, .eos = 2});
  CHECK(ids_of(choose(likeliest, std::vector<float>{1, 2, 3, 0}, 9)) == std::vector<Id>{2, 1, 0, 3});
}

TEST_CASE("impossible tokens are not chosen, nor is any token of a row with NaN", "[decoding]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  LikeliestTokens likeliest(kChosenFrom);
  CHECK(ids_of(choose(likeliest, std::vector<float>{0, 0, -kInfinity, 1, -kInfinity, 2}, 9)) == std::vector<Id>{5, 3});
  CHECK(choose(likeliest, std::vector<float>{0, 0, 1, std::numeric_limits<float>::quiet_NaN(), 2}, 9).empty());
  CHECK(choose(likeliest, std::vector<float>(5, -kInfinity), 9).empty());
}

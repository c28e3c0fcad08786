#include "cases.hpp"

#include <limits>

#include "glassformer/layers/softmax.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void softmax(Buffer<double> scores, const Mask& mask) {
  input("scores", scores);
  input("blocked", mask);
  MaskedSoftmax<double>("softmax").forward_in_place({}, scores, mask);
  output("weights", scores);
}

}  // namespace

const std::vector<Case> cases = {
    {"nothing is blocked", "the weights of a row add up to 1, and a larger score gives a larger weight",
     [] {
       softmax(either<Numbers>({{0, 1, 2}}, {{-1, 3, 0.5, 2}}),
               either<Mask>(mask_of({{0, 0, 0}}), mask_of({{0, 0, 0, 0}})));
     }},
    {"one key is blocked", "a blocked key gets a weight of exactly 0, and the others share the rest",
     [] {
       softmax(either<Numbers>({{0, 1, 2}}, {{0.5, -1, 1.5, 1}}),
               either<Mask>(mask_of({{0, 0, 1}}), mask_of({{0, 0, 0, 1}})));
     }},
    {"large scores", "adding the same number to all scores of a row does not change its weights",
     [] {
       softmax(either<Numbers>({{800, 801, 802}}, {{952, 950.5}}),
               either<Mask>(mask_of({{0, 0, 0}}), mask_of({{0, 0}})));
     }},
    {"very negative scores", "adding the same number to all scores of a row does not change its weights",
     [] {
       softmax(either<Numbers>({{-800, -801, -802}}, {{-903.5, -902}}),
               either<Mask>(mask_of({{0, 0, 0}}), mask_of({{0, 0}})));
     }},
    {"nothing is visible", "a query that sees nothing gets weights of 0, not NaN and not 1/S",
     [] {
       softmax(either<Numbers>({{0, 1, 2}}, {{2, -1, 0.5, 1}}),
               either<Mask>(mask_of({{1, 1, 1}}), mask_of({{1, 1, 1, 1}})));
     }},
    {"the blocked score is NaN", "a blocked score has no effect, whatever it is",
     [] {
       softmax(either<Numbers>({{0, kNaN, 2}}, {{0.5, -0.5, kNaN, 1}}),
               either<Mask>(mask_of({{0, 1, 0}}), mask_of({{0, 0, 1, 0}})));
     }},
    {"a blocked score is huge", "a blocked score has no effect, even if it is much larger than the others",
     [] {
       softmax(either<Numbers>({{1, 1000}}, {{2, 1, 1500}}), either<Mask>(mask_of({{0, 1}}), mask_of({{0, 0, 1}})));
     }},
    {"the first keys are blocked", "a blocked score has no effect, even if it is the first of its row",
     [] {
       softmax(either<Numbers>({{kNaN, 1000, 1, 3, 2}}, {{kInfinity, 1, 0.5, 2}}),
               either<Mask>(mask_of({{1, 1, 0, 0, 0}}), mask_of({{1, 0, 0, 0}})));
     }},
    {"scores below -1e9", "only -infinity is smaller than every score",
     [] {
       softmax(either<Numbers>({{-2e9, -2e9 - 1, 5}}, {{7, -3e9 - 2, -3e9}}),
               either<Mask>(mask_of({{0, 0, 1}}), mask_of({{1, 0, 0}})));
     }},
    {"scores that are far apart", "subtract the largest visible score of the row, wherever it is in the row",
     [] {
       softmax(either<Numbers>({{800, -800, 0}, {-800, 800, 0}, {0, -800, 800}},
                               {{1000, -1000, 0, 1}, {-900, 900, 1, 0}, {0, -950, 2, 950}}),
               all_visible(1, 1, either<Index>(3, 4)));
     }},
    {"three rows", "each row has its own largest score and its own sum",
     [] {
       softmax(either<Numbers>({{-800, -802}, {800, 801}, {-900, -901}},
                               {{-900, -902, -901}, {1000, 999, 998}, {-850, -851, -852}}),
               all_visible(1, 1, either<Index>(2, 3)));
     }},
    {"a look-ahead mask", "each query uses its own row of the mask",
     [] {
       softmax(either<Numbers>({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
                               {{1, 0.5, 3, 2}, {1, 0.5, 3, 2}, {1, 0.5, 3, 2}, {1, 0.5, 3, 2}}),
               look_ahead_mask(either<Index>(3, 4)));
     }},
    {"the first row sees nothing", "a row in which nothing is visible changes nothing for the other rows",
     [] {
       softmax(either<Numbers>({{0, 1}, {0, 2}, {3, 1}}, {{1, 2, 0}, {0.5, -1, 2}}),
               either<Mask>(mask_of({{1, 1}, {0, 0}, {0, 0}}), mask_of({{1, 1, 1}, {0, 0, 0}})));
     }},
    {"two sentences, two heads, padding", "all heads and queries of a sentence use the mask row of this sentence",
     [] {
       RandomValues random = random_values(3);
       softmax(round_numbers(random, 8, either<Index>(3, 4)),
               padding_mask(either<IdMatrix>({{5, 6, 7}, {5, 0, 0}}, {{5, 6, 7, 0}, {5, 0, 0, 0}}), 0));
     }},
    {"two sentences, two heads, a mask for each query",
     "row n of the scores has row mask.row_for(n, scores.rows()) of the mask",
     [] {
       RandomValues random = random_values(5);
       const Index T = either<Index>(3, 2);
       const IdMatrix ids = either<IdMatrix>({{5, 6, 7}, {0, 5, 0}}, {{0, 6}, {6, 7}});
       softmax(round_numbers(random, 2 * 2 * T, T), combined_mask(padding_mask(ids, 0), look_ahead_mask(T)));
     }},
};

}  // namespace glassformer::labs

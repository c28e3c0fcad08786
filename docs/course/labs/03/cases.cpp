#include "cases.hpp"

#include <limits>

#include "glassformer/layers/softmax.hpp"

namespace glassformer::labs {
namespace {

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
       softmax({{0, 1, 2}}, mask_of({{0, 0, 0}}));
     }},
    {"one key is blocked", "a blocked key gets a weight of exactly 0, and the others share the rest",
     [] {
       softmax({{0, 1, 2}}, mask_of({{0, 0, 1}}));
     }},
    {"large scores", "adding the same number to all scores of a row does not change its weights",
     [] {
       softmax({{800, 801, 802}}, mask_of({{0, 0, 0}}));
     }},
    {"nothing is visible", "a query that sees nothing gets weights of 0, not NaN and not 1/S",
     [] {
       softmax({{0, 1, 2}}, mask_of({{1, 1, 1}}));
     }},
    {"the blocked score is NaN", "a blocked score has no effect, whatever it is",
     [] {
       softmax({{0, std::numeric_limits<double>::quiet_NaN(), 2}}, mask_of({{0, 1, 0}}));
     }},
    {"a blocked score is huge", "a blocked score has no effect, even if it is much larger than the others",
     [] {
       softmax({{1, 1000}}, mask_of({{0, 1}}));
     }},
    {"a look-ahead mask", "each query uses its own row of the mask",
     [] {
       softmax({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, look_ahead_mask(3));
     }},
    {"two sentences, two heads, padding", "all heads and queries of a sentence use the mask row of this sentence",
     [] {
       RandomValues random(3);
       softmax(round_numbers(random, 8, 3), padding_mask(IdMatrix{{5, 6, 7}, {5, 0, 0}}, 0));
     }},
};

}  // namespace glassformer::labs

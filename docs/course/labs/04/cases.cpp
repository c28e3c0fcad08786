#include "cases.hpp"

#include <limits>

#include "glassformer/layers/softmax.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void backward(const Buffer<double>& weights, Buffer<double> d_weights) {
  input("weights", weights);
  input("d_weights", d_weights);
  MaskedSoftmax<double>("softmax").backward_in_place({}, weights, d_weights);
  output("d_scores", d_weights);
}

}  // namespace

const std::vector<Case> cases = {
    {"two equal weights",
     "adding the same number to all scores changes no weight, so the d_scores of a row add up to 0",
     [] {
       backward({{0.5, 0.5}}, {{1, 0}});
     }},
    {"three keys", "a score affects all weights of its row: the score of key 1 matters although its d_weight is 0",
     [] {
       backward({{0.2, 0.3, 0.5}}, {{1, 0, -1}});
     }},
    {"all weights matter equally",
     "the weights of a row always add up to 1, so if all d_weights are equal, all d_scores are 0",
     [] {
       backward({{0.2, 0.3, 0.5}}, {{7, 7, 7}});
     }},
    {"one key is blocked", "the score of a blocked key has no effect, and its d_weight does not count",
     [] {
       backward({{0.4, 0, 0.6}}, {{1, 5, 0}});
     }},
    {"blocked keys are NaN and infinite", "the d_weight of a blocked key has no effect, whatever it is",
     [] {
       backward({{0.4, 0, 0.6, 0}}, {{1, kNaN, 0, kInfinity}});
     }},
    {"nothing is visible", "in a row where nothing is visible, all d_scores are 0",
     [] {
       backward({{0, 0, 0}}, {{1, kNaN, -1}});
     }},
    {"two rows", "each row is a softmax of its own",
     [] {
       backward({{0.2, 0.3, 0.5}, {0.5, 0.25, 0.25}}, {{1, 0, -1}, {0, 2, -2}});
     }},
    {"two sentences, two heads, padding", "the same holds for the rows of all sentences, heads and queries",
     [] {
       RandomValues random(4);
       Buffer<double> scores = round_numbers(random, 8, 4);
       MaskedSoftmax<double>("softmax").forward_in_place({}, scores,
                                                         padding_mask(IdMatrix{{5, 6, 7, 8}, {5, 6, 0, 0}}, 0));
       backward(scores, round_numbers(random, 8, 4));
     }},
};

}  // namespace glassformer::labs

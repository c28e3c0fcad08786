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
       backward({{0.5, 0.5}}, either<Numbers>({{1, 0}}, {{0, -3}}));
     }},
    {"three keys", "a score affects all weights of its row: the score of key 1 matters although its d_weight is 0",
     [] {
       backward(either<Numbers>({{0.2, 0.3, 0.5}}, {{0.1, 0.25, 0.65}}), either<Numbers>({{1, 0, -2}}, {{-2, 0, 1}}));
     }},
    {"all weights matter equally",
     "the weights of a row always add up to 1, so if all d_weights are equal, all d_scores are 0",
     [] {  // powers of 2: every order of the operations gives exactly 0
       backward(either<Numbers>({{0.25, 0.5, 0.25}}, {{0.125, 0.5, 0.125, 0.25}}),
                either<Numbers>({{7, 7, 7}}, {{-4, -4, -4, -4}}));
     }},
    {"one key is blocked", "the score of a blocked key has no effect, and its d_weight does not count",
     [] {
       backward(either<Numbers>({{0.4, 0, 0.6}}, {{0.7, 0, 0.1, 0.2}}),
                either<Numbers>({{1, 5, -2}}, {{-1, 3, 2, 0.5}}));
     }},
    {"blocked keys are NaN and infinite", "the d_weight of a blocked key has no effect, whatever it is",
     [] {
       backward(either<Numbers>({{0, 0.4, 0, 0.6}}, {{0, 0.7, 0.1, 0, 0.2}}),
                either<Numbers>({{kNaN, 1, kInfinity, -2}}, {{-kInfinity, 2, -1, kNaN, 0.5}}));
     }},
    {"a tiny weight", "only a weight of exactly 0 is that of a blocked key: a tiny weight counts like any other",
     [] {
       backward(either<Numbers>({{0.75, 0.25, 1e-300}}, {{1e-290, 0.5, 0.5}}),
                either<Numbers>({{1, 0, 1e300}}, {{-3e290, 1, 0}}));
     }},
    {"nothing is visible", "in a row where nothing is visible, all d_scores are 0",
     [] {
       backward(either<Numbers>({{0, 0, 0}}, {{0, 0}}), either<Numbers>({{1, kNaN, -1}}, {{kInfinity, 2}}));
     }},
    {"two rows", "each row is a softmax of its own",
     [] {
       backward(either<Numbers>({{0.2, 0.3, 0.5}, {0.5, 0.25, 0.25}}, {{0.1, 0.9}, {0.25, 0.75}, {0.5, 0.5}}),
                either<Numbers>({{1, 0, -1}, {0, 2, -2}}, {{1, -1}, {2, 0.5}, {0, 4}}));
     }},
    {"the first row sees nothing", "a row in which nothing is visible changes nothing for the other rows",
     [] {
       backward(either<Numbers>({{0, 0, 0}, {0.5, 0.25, 0.25}}, {{0, 0}, {0.3, 0.7}, {0.9, 0.1}}),
                either<Numbers>({{1, -1, kNaN}, {0, 2, -2}}, {{1, 2}, {-1, 2}, {3, 1}}));
     }},
    {"two sentences, two heads, padding", "one formula holds for the rows of all sentences, heads and queries",
     [] {
       RandomValues random = random_values(4);
       const Index S = either<Index>(4, 5);
       Buffer<double> scores = round_numbers(random, 8, S);
       const IdMatrix ids = either<IdMatrix>({{5, 6, 7, 8}, {5, 6, 0, 0}}, {{5, 6, 7, 0, 0}, {0, 5, 6, 7, 8}});
       MaskedSoftmax<double>("softmax").forward_in_place({}, scores, padding_mask(ids, 0));
       backward(scores, round_numbers(random, 8, S));
     }},
};

}  // namespace glassformer::labs

#include "cases.hpp"

#include <limits>

#include "masked_sigmoid.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Buffer<double> forward(Buffer<double> scores, double bias, const Mask& mask) {
  input("scores", scores);
  input("bias", bias);
  input("blocked", mask);
  MaskedSigmoid(bias).forward_in_place(scores, mask);
  output("weights", scores);
  return scores;
}

void backward(const Buffer<double>& weights, Buffer<double> d_weights, double d_bias = 0) {
  input("weights", weights);
  input("d_weights", d_weights);
  MaskedSigmoid sigmoid(either<double>(-1.5, 0.75));
  input("bias", sigmoid.bias);
  input("d_bias before", d_bias);
  sigmoid.d_bias = d_bias;
  sigmoid.backward_in_place(weights, d_weights);
  output("d_scores", d_weights);
  output("d_bias", sigmoid.d_bias);
}

}  // namespace

const std::vector<Case> cases = {
    {"forward, without bias", "a score of 0 gives a weight of 0.5, and each weight depends on its own score alone",
     [] {
       forward(either<Numbers>({{0, 1, -2}}, {{1.5, 0, -1, 2}}), 0, all_visible(1, 1, either<Index>(3, 4)));
     }},
    {"forward, with a bias", "the bias is added to every score",
     [] {
       forward(either<Numbers>({{0, 1, -2}}, {{1.5, 0, -1, 2}}), either<double>(-1, -1.5),
               all_visible(1, 1, either<Index>(3, 4)));
     }},
    {"forward, one key is blocked", "a blocked key gets a weight of exactly 0, and the others stay as they were",
     [] {
       forward(either<Numbers>({{0, 1, -2}}, {{1.5, 0, -1, 2}}), either<double>(-1, 0.5),
               either<Mask>(mask_of({{0, 1, 0}}), mask_of({{1, 0, 0, 0}})));
     }},
    {"forward, large scores", "a large score gives a weight of 1, not NaN",
     [] {
       forward(either<Numbers>({{800, 1000, 0}}, {{2, 950}}), -1, all_visible(1, 1, either<Index>(3, 2)));
     }},
    {"forward, very negative scores", "a very negative score gives a weight of 0, not NaN",
     [] {
       forward(either<Numbers>({{-800, 1, -1000}}, {{-950, 2}}), -1, all_visible(1, 1, either<Index>(3, 2)));
     }},
    {"forward, blocked scores are NaN and infinite", "a blocked score has no effect, whatever it is",
     [] {
       forward(either<Numbers>({{kNaN, 1, kInfinity, -kInfinity, 2}}, {{0.5, kInfinity, kNaN, -1}}),
               either<double>(-1, -2), either<Mask>(mask_of({{1, 0, 1, 1, 0}}), mask_of({{0, 1, 1, 0}})));
     }},
    {"forward, the first row sees nothing",
     "a row in which nothing is visible gets weights of 0, and changes no other row",
     [] {
       forward(either<Numbers>({{1, 2}, {0, -1}}, {{1, 2, 0.5}, {0, -1, 2}, {1, 0, 0.5}}), either<double>(-0.5, 1),
               either<Mask>(mask_of({{1, 1}, {0, 0}}), mask_of({{1, 1, 1}, {0, 0, 1}, {0, 0, 0}})));
     }},
    {"forward, two sentences, two heads", "row n of the scores has row mask.row_for(n, scores.rows()) of the mask",
     [] {
       RandomValues random = random_values(3);
       const Index T = either<Index>(3, 2);
       const IdMatrix ids = either<IdMatrix>({{5, 6, 7}, {0, 5, 0}}, {{0, 6}, {6, 7}});
       forward(round_numbers(random, 2 * 2 * T, T), -0.5, combined_mask(padding_mask(ids, 0), look_ahead_mask(T)));
     }},
    {"backward, one key", "dweight/dscore is largest at a weight of 0.5, and nearly 0 near 0 and 1",
     [] { backward(either<Numbers>({{0.5}}, {{0.25}}), either<Numbers>({{2}}, {{-3}})); }},
    {"backward, three keys", "a score affects only its own weight, and the bias affects all of them",
     [] {
       backward(either<Numbers>({{0.1, 0.5, 0.75}}, {{0.3, 0.9, 0.6, 0.2}}),
                either<Numbers>({{1, 0, -2}}, {{0, 2, 3, -1}}));
     }},
    {"backward, the weights are 0 and 1", "where the sigmoid is flat, the gradient is 0",
     [] {
       backward(either<Numbers>({{1, 0.5, 0}}, {{0.25, 1, 0, 1}}), either<Numbers>({{3, 1, 2}}, {{2, -1, 4, 5}}));
     }},
    {"backward, blocked keys are NaN and infinite",
     "the d_weight of a blocked key has no effect on d_scores and d_bias, whatever it is",
     [] {
       backward(either<Numbers>({{0.4, 0, 0.8, 0}}, {{0, 0.7, 0}}),
                either<Numbers>({{1, kNaN, -2, kInfinity}}, {{-kInfinity, 2, kNaN}}));
     }},
    {"backward, two rows", "all rows share the bias, so d_bias is the sum over all rows",
     [] {
       backward(either<Numbers>({{0.1, 0.5}, {0.75, 0.2}}, {{0.3, 0.9}, {0, 0}, {0.6, 0.2}}),
                either<Numbers>({{1, -2}, {3, 1}}, {{2, 1}, {1, -1}, {-1, 4}}));
     }},
    {"backward, the gradient of an earlier call", "backward adds to d_bias",
     [] {
       backward(either<Numbers>({{0.5, 0.25}}, {{0.75, 0.5, 0.125}}), either<Numbers>({{1, 2}}, {{-2, 0.5, 1}}),
                either<double>(10, -7));
     }},
    {"forward and backward, padding", "one formula holds for the rows of all sentences, heads and queries",
     [] {
       RandomValues random = random_values(4);
       const Index S = either<Index>(4, 5);
       const IdMatrix ids = either<IdMatrix>({{5, 6, 7, 8}, {5, 6, 0, 0}}, {{5, 6, 7, 0, 0}, {0, 5, 6, 7, 8}});
       const Buffer<double> scores = round_numbers(random, 8, S);
       backward(forward(scores, -std::log(static_cast<double>(S)), padding_mask(ids, 0)), round_numbers(random, 8, S),
                1);
     }},
};

}  // namespace glassformer::labs

#include "cases.hpp"

#include <algorithm>

#include "glassformer/layers/layer_norm.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

struct Example {
  Buffer<double> x, d_y, gain;
  Buffer<double> d_gain = {}, d_bias = {};  // what the gradients hold before backward; empty: zeros
};

/// Runs forward, then backward, for each batch. All batches have the gain of the first.
void layer_norm(const std::vector<Example>& batches, bool shows_d_x = true) {
  RandomValues random(7);
  const Example& first = batches.front();
  SingleLayer<LayerNorm<double>> norm(random, first.x.cols());
  const auto d_gain = norm->gain.in(norm.gradient);
  const auto d_bias = norm->bias.in(norm.gradient);
  std::copy_n(first.gain.data(), first.x.cols(), norm->gain.in(norm.weights).data());
  input("gain", first.gain);
  if (first.d_gain.size() > 0) {
    std::copy_n(first.d_gain.data(), d_gain.size(), d_gain.data());
    std::copy_n(first.d_bias.data(), d_bias.size(), d_bias.data());
    input("d_gain before", first.d_gain);
    input("d_bias before", first.d_bias);
  }
  for (const Example& batch : batches) {
    input("x", batch.x);
    input("d_y", batch.d_y);
    norm->forward({}, batch.x);
    const Buffer<double>& d_x = norm->backward({}, batch.d_y);
    output("d_gain", row_matrix(d_gain));
    output("d_bias", row_matrix(d_bias));
    if (shows_d_x) {
      output("d_x", d_x);
    }
  }
}

Example random_batch(RandomValues& random, Index rows, Index width) {
  return {round_numbers(random, rows, width), round_numbers(random, rows, width), round_numbers(random, 1, width)};
}

}  // namespace

const std::vector<Case> cases = {
    {"gain and bias of one row", "y_j = gain_j * x_hat_j + bias_j, and here each x_hat is 1 or -1",
     [] {
       layer_norm({either<Example>({{{3, 1, 3, 1}}, {{2, 3, 4, 5}}, {{1, 1, 1, 1}}},
                                   {{{1, 5, 5, 1, 5, 1}}, {{3, 2, -1, 4, 6, 5}}, {{1, 1, 1, 1, 1, 1}}})},
                  false);
     }},
    {"d_x of one row", "x_j affects x_hat directly, through the mean and through the variance; d_x adds up to 0",
     [] {
       layer_norm({either<Example>({{{3, 1, 3, 1}}, {{2, 0, 0, 1}}, {{1, 1, 1, 1}}},
                                   {{{1, 5, 5, 1, 5, 1}}, {{0, 3, 0, 0, 1, 0}}, {{1, 1, 1, 1, 1, 1}}})});
     }},
    {"equal gradients", "the sum of x_hat is 0 for any x, so if all d_xhat of a row are equal, its d_x is 0",
     [] {
       layer_norm({either<Example>({{{3, 1, 3, 1}}, {{1, 1, 1, 1}}, {{1, 1, 1, 1}}},
                                   {{{1, 5, 5, 1, 5, 1}}, {{-2, -2, -2, -2, -2, -2}}, {{1, 1, 1, 1, 1, 1}}})});
     }},
    {"a gradient along x_hat",
     "scaling a row hardly changes x_hat, so if d_xhat is a multiple of x_hat, d_x is nearly 0",
     [] {
       layer_norm({either<Example>({{{3, 1, 3, 1}}, {{2, -2, 2, -2}}, {{1, 1, 1, 1}}},
                                   {{{1, 5, 5, 1, 5, 1}}, {{-3, 3, 3, -3, 3, -3}}, {{1, 1, 1, 1, 1, 1}}})});
     }},
    {"a wider row", "the numbers of x are ten times as far apart, so a change of x changes x_hat a tenth as much",
     [] {
       layer_norm({either<Example>({{{30, 10, 30, 10}}, {{2, 0, 0, 1}}, {{1, 1, 1, 1}}},
                                   {{{10, 50, 50, 10, 50, 10}}, {{0, 3, 0, 0, 1, 0}}, {{1, 1, 1, 1, 1, 1}}})});
     }},
    {"different gains", "x_hat is multiplied by the gain, so all three terms of d_x contain d_y * gain",
     [] {
       layer_norm({either<Example>({{{3, 1, 3, 1}}, {{1, 1, 1, 1}}, {{2, 1, -1, 3}}},
                                   {{{1, 5, 5, 1, 5, 1}}, {{2, 2, 2, 2, 2, 2}}, {{1, -2, 3, 0.5, 2, 1}}})});
     }},
    {"three rows", "all rows share gain and bias, but each row has its own mean and inv_std; d_y = 0 gives d_x = 0",
     [] {
       layer_norm({either<Example>(
           {{{3, 1, 3, 1}, {0, 0, 4, 4}, {1, 2, 3, 6}}, {{2, 0, 0, 1}, {0, 2, 1, 0}, {0, 0, 0, 0}}, {{1, 2, 1, 2}}},
           {{{0, 1, 5}, {8, -2, 0}, {1, 1, 4}}, {{1, 0, 3}, {0, -2, 1}, {0, 0, 0}}, {{2, 1, 3}}})});
     }},
    {"the gradients are not 0 before",
     "d_gain and d_bias already hold numbers, as from another batch; yours are added to them",
     [] {
       layer_norm({either<Example>(
           {{{3, 1, 3, 1}, {0, 0, 4, 4}},
            {{2, 0, 0, 1}, {0, 2, 1, 0}},
            {{1, 2, 1, 2}},
            {{10, 20, 30, 40}},
            {{5, 6, 7, 8}}},
           {{{0, 1, 5}, {8, -2, 0}}, {{1, 0, 3}, {0, -2, 1}}, {{2, 1, 3}}, {{-20, 10, 60}}, {{9, 4, -7}}})});
     }},
    {"all numbers of a row are equal", "x_hat is 0 and inv_std is 1 / sqrt(epsilon), so nothing is divided by 0",
     [] {
       layer_norm({either<Example>({{{2, 2, 2, 2}}, {{1, 0, 0, 0}}, {{1, 1, 1, 1}}},
                                   {{{-1, -1, -1}}, {{0, 2, 0}}, {{1, 1, 1}}})});
     }},
    {"random rows", "the equations hold for any numbers",
     [] {
       RandomValues random = random_values(70);
       layer_norm({random_batch(random, either<Index>(4, 5), either<Index>(6, 7))});
     }},
    {"two batches", "d_gain and d_bias are sums over both batches; d_x is that of the second batch alone",
     [] {
       RandomValues random = random_values(71);
       const Index width = either<Index>(4, 5);
       std::vector<Example> batches;
       batches.push_back(random_batch(random, either<Index>(3, 4), width));
       batches.push_back(random_batch(random, 2, width));
       layer_norm(batches);
     }},
};

}  // namespace glassformer::labs

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

/// Runs forward, then backward.
void layer_norm(const Example& example, bool shows_d_x = true) {
  RandomValues random(7);
  SingleLayer<LayerNorm<double>> norm(random, example.x.cols());
  const auto d_gain = norm->gain.in(norm.gradient);
  const auto d_bias = norm->bias.in(norm.gradient);
  std::copy_n(example.gain.data(), example.x.cols(), norm->gain.in(norm.weights).data());
  input("x", example.x);
  input("gain", example.gain);
  input("d_y", example.d_y);
  if (example.d_gain.size() > 0) {
    std::copy_n(example.d_gain.data(), d_gain.size(), d_gain.data());
    std::copy_n(example.d_bias.data(), d_bias.size(), d_bias.data());
    input("d_gain before", example.d_gain);
    input("d_bias before", example.d_bias);
  }
  norm->forward({}, example.x);
  const Buffer<double>& d_x = norm->backward({}, example.d_y);
  output("d_gain", row_matrix(d_gain));
  output("d_bias", row_matrix(d_bias));
  if (shows_d_x) {
    output("d_x", d_x);
  }
}

}  // namespace

const std::vector<Case> cases = {
    {"gain and bias of one row", "y_j = gain_j * x_hat_j + bias_j, and here x_hat is [1 -1 1 -1]",
     [] {
       layer_norm({{{3, 1, 3, 1}}, {{2, 3, 4, 5}}, {{1, 1, 1, 1}}}, false);
     }},
    {"d_x of one row", "x_j affects x_hat directly, through the mean and through the variance; d_x adds up to 0",
     [] {
       layer_norm({{{3, 1, 3, 1}}, {{2, 0, 0, 1}}, {{1, 1, 1, 1}}});
     }},
    {"equal gradients", "the sum of x_hat is 0 for any x, so if all d_xhat of a row are equal, its d_x is 0",
     [] {
       layer_norm({{{3, 1, 3, 1}}, {{1, 1, 1, 1}}, {{1, 1, 1, 1}}});
     }},
    {"a gradient along x_hat",
     "scaling a row hardly changes x_hat, so if d_xhat is a multiple of x_hat, d_x is nearly 0",
     [] {
       layer_norm({{{3, 1, 3, 1}}, {{2, -2, 2, -2}}, {{1, 1, 1, 1}}});
     }},
    {"a wider row", "the numbers of x are ten times as far apart, so a change of x changes x_hat a tenth as much",
     [] {
       layer_norm({{{30, 10, 30, 10}}, {{2, 0, 0, 1}}, {{1, 1, 1, 1}}});
     }},
    {"different gains", "x_hat is multiplied by the gain, so all three terms of d_x contain d_y * gain",
     [] {
       layer_norm({{{3, 1, 3, 1}}, {{1, 1, 1, 1}}, {{2, 1, -1, 3}}});
     }},
    {"three rows", "all rows share gain and bias, but each row has its own mean and inv_std; d_y = 0 gives d_x = 0",
     [] {
       layer_norm(
           {{{3, 1, 3, 1}, {0, 0, 4, 4}, {1, 2, 3, 6}}, {{2, 0, 0, 1}, {0, 2, 1, 0}, {0, 0, 0, 0}}, {{1, 2, 1, 2}}});
     }},
    {"the gradients are not 0 before",
     "d_gain and d_bias already hold numbers, as from another batch; yours are added to them",
     [] {
       layer_norm({{{3, 1, 3, 1}, {0, 0, 4, 4}},
                   {{2, 0, 0, 1}, {0, 2, 1, 0}},
                   {{1, 2, 1, 2}},
                   {{10, 20, 30, 40}},
                   {{5, 6, 7, 8}}});
     }},
    {"all numbers of a row are equal", "x_hat is 0 and inv_std is 1 / sqrt(epsilon), so nothing is divided by 0",
     [] {
       layer_norm({{{2, 2, 2, 2}}, {{1, 0, 0, 0}}, {{1, 1, 1, 1}}});
     }},
    {"random rows", "the equations hold for any numbers",
     [] {
       RandomValues random(70);
       layer_norm({round_numbers(random, 4, 6), round_numbers(random, 4, 6), round_numbers(random, 1, 6)});
     }},
};

}  // namespace glassformer::labs

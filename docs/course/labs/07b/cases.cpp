#include "cases.hpp"

#include <algorithm>

#include "rms_norm.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

struct Batch {
  Buffer<double> x, d_y;
};

class Example {
 public:
  /// `start` is what each number of the gain's gradient is before.
  explicit Example(const Buffer<double>& gain, double start = 0) : norm_(random_, gain.cols()) {
    std::copy_n(gain.data(), gain.cols(), norm_->gain.in(norm_.weights).data());
    std::ranges::fill(norm_->gain.in(norm_.gradient), start);
    input("gain", gain);
    if (start != 0) {
      input("d_gain before, each number", start);
    }
  }
  void forward(const Buffer<double>& x) {
    input("x", x);
    output("y", norm_->forward(x));
  }
  void backward(const Batch& batch) {
    input("x", batch.x);
    input("d_y", batch.d_y);
    norm_->forward(batch.x);
    const Buffer<double>& d_x = norm_->backward(batch.d_y);
    output("d_gain", row_matrix(norm_->gain.in(norm_.gradient)));
    output("d_x", d_x);
  }

 private:
  RandomValues random_{7};
  SingleLayer<RmsNorm<double>> norm_;
};

// The root mean square of both rows is 5, and that of their multiples the same multiple of 5.
Numbers row() { return either<Numbers>({{7, 1}}, {{5, -1, 7, 5}}); }
Numbers ten_times_row() { return either<Numbers>({{70, 10}}, {{50, -10, 70, 50}}); }
Numbers ones() { return either<Numbers>({{1, 1}}, {{1, 1, 1, 1}}); }

Batch random_batch(RandomValues& random, Index rows, Index width) {
  return {round_numbers(random, rows, width), round_numbers(random, rows, width)};
}

}  // namespace

const std::vector<Case> cases = {
    {"forward, one row", "the root mean square of this row is 5; no mean is subtracted, so every number keeps its sign",
     [] { Example(ones()).forward(row()); }},
    {"forward, gains", "each column has its own gain, and there is no bias",
     [] {
       Example(either<Numbers>({{2, -3}}, {{2, 1, -1, 0.5}})).forward(row());
     }},
    {"forward, ten times the row", "if a row is multiplied by a number, x_hat hardly changes",
     [] { Example(ones()).forward(ten_times_row()); }},
    {"forward, small numbers", "the mean of the squares is about as large as epsilon, which is inside the root",
     [] {
       Example(ones()).forward(either<Numbers>({{0.004, -0.003}}, {{0.001, -0.002, 0.005, 0.003}}));
     }},
    {"forward, a row of zeros", "epsilon keeps the root above 0, so nothing is divided by 0",
     [] {
       Example(ones()).forward(either<Numbers>({{0, 0}}, {{0, 0, 0, 0}}));
     }},
    {"forward, three rows", "each row has its own root mean square",
     [] {
       Example(either<Numbers>({{2, -3}}, {{2, 1, -1, 0.5}}))
           .forward(either<Numbers>({{7, 1}, {3, -3}, {0, 2}}, {{5, -1, 7, 5}, {2, 2, 2, -2}, {0, 0, 4, 0}}));
     }},
    {"backward, one row", "x_j affects x_hat_j directly, and all of x_hat through the root mean square",
     [] {
       Example(ones()).backward({row(), either<Numbers>({{10, 0}}, {{0, 0, 10, 20}})});
     }},
    {"backward, a gradient along x_hat",
     "scaling a row hardly changes x_hat, so if d_xhat is a multiple of x, d_x is nearly 0",
     [] {
       Example(ones()).backward({row(), either<Numbers>({{14, 2}}, {{-5, 1, -7, -5}})});
     }},
    {"backward, equal gradients", "here a constant added to the row does change x_hat, so d_x does not add up to 0",
     [] {
       Example(ones()).backward({row(), either<Numbers>({{10, 10}}, {{20, 20, 20, 20}})});
     }},
    {"backward, ten times the row", "x is ten times as large, so a change of x changes x_hat a tenth as much",
     [] {
       Example(ones()).backward({ten_times_row(), either<Numbers>({{10, 0}}, {{0, 0, 10, 20}})});
     }},
    {"backward, gains", "d_gain contains x_hat; both terms of d_x contain d_y * gain",
     [] {
       Example(either<Numbers>({{2, -3}}, {{2, 1, -1, 0.5}}))
           .backward({row(), either<Numbers>({{10, 20}}, {{0, 30, 10, 20}})});
     }},
    {"backward, small numbers", "epsilon is a part of inv_rms, so the formula holds here, too",
     [] {
       Example(ones()).backward({either<Numbers>({{0.004, -0.003}}, {{0.001, -0.002, 0.005, 0.003}}),
                                 either<Numbers>({{1, 2}}, {{1, 0, -1, 2}})});
     }},
    {"backward, two rows", "all rows share the gain, so its gradients add up; each row has its own inv_rms",
     [] {
       Example(either<Numbers>({{2, -3}}, {{2, 1, -1, 0.5}}))
           .backward({either<Numbers>({{7, 1}, {3, -3}}, {{5, -1, 7, 5}, {2, 2, 2, -2}}),
                      either<Numbers>({{10, 20}, {1, 0}}, {{0, 30, 10, 20}, {0, 3, 0, 1}})});
     }},
    {"the gradient is not 0 before", "d_gain already holds numbers, as from another batch; yours are added to them",
     [] {
       Example(ones(), either<double>(1000, 2000)).backward({row(), either<Numbers>({{10, 0}}, {{0, 0, 10, 20}})});
     }},
    {"random rows", "the equations hold for any numbers",
     [] {
       RandomValues random = random_values(70);
       const Index width = either<Index>(6, 7);
       Example(round_numbers(random, 1, width)).backward(random_batch(random, either<Index>(4, 5), width));
     }},
    {"two batches", "d_gain is a sum over both batches; d_x is that of the second batch alone",
     [] {
       RandomValues random = random_values(71);
       const Index width = either<Index>(4, 5);
       Example example(round_numbers(random, 1, width));
       for (const Index rows : either<std::vector<Index>>({3, 2}, {4, 1})) {
         example.backward(random_batch(random, rows, width));
       }
     }},
};

}  // namespace glassformer::labs

#include "cases.hpp"

#include "glassformer/layers/linear.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

/// A map with these parameters, whose gradients start at `start`.
class Map {
 public:
  Map(const Buffer<double>& weight, const Buffer<double>& bias, double start = 0)
      : map_(random_, weight.cols(), weight.rows()) {
    map_->weight.in(map_.weights).eigen() = weight.eigen();
    map_->bias.in(map_.weights).eigen() = bias.row(0).eigen();
    for (double& number : map_.gradient.values()) {
      number = start;
    }
    input("weight", weight);
    if (start != 0) {
      input("d_weight and d_bias at the start, each number", start);
    }
  }

  /// Forward and backward.
  void run(const Buffer<double>& x, const Buffer<double>& d_y) {
    input("x", x);
    input("d_y", d_y);
    map_->forward({}, x);
    output("d_x", map_->backward({}, d_y));
  }
  void show_gradients() {
    output("d_weight", map_->weight.gradient());
    output("d_bias", row_matrix(map_->bias.gradient()));
  }

 private:
  RandomValues random_{1};
  SingleLayer<Linear<double>> map_;
};

void backward(const Buffer<double>& weight, const Buffer<double>& x, const Buffer<double>& d_y, double start = 0) {
  RandomValues random = random_values(2);
  Map map(weight, random.matrix(1, weight.rows()), start);
  map.run(x, d_y);
  map.show_gradients();
}

/// Round numbers of these shapes.
void backward(Index rows, Index in, Index out) {
  RandomValues random = random_values(3);
  const Buffer<double> weight = round_numbers(random, out, in);
  const Buffer<double> x = round_numbers(random, rows, in);
  backward(weight, x, round_numbers(random, rows, out));
}

}  // namespace

const std::vector<Case> cases = {
    {"one row, one input, one output",
     "y grows by the weight if x grows by 1, by x if the weight grows by 1, and by 1 if the bias grows by 1",
     [] { backward(either<Numbers>({{3}}, {{-4}}), either<Numbers>({{2}}, {{6}}), either<Numbers>({{10}}, {{100}})); }},
    {"as many rows as inputs and outputs",
     "here a wrong product may have the right shape, so check which index each sum runs over",
     [] {
       const Index size = either<Index>(2, 3);
       backward(size, size, size);
     }},
    {"one row, two inputs, two outputs", "each input affects both outputs; each weight and each bias affects only one",
     [] {
       backward(either<Numbers>({{1, 2}, {3, 5}}, {{4, -1}, {2, 7}}), either<Numbers>({{7, 4}}, {{3, 6}}),
                either<Numbers>({{10, 100}}, {{100, 1}}));
     }},
    {"two rows, one output", "both rows use the same weight and bias, so their gradients add up",
     [] {
       backward(either<Numbers>({{2}}, {{5}}), either<Numbers>({{3}, {5}}, {{-2}, {4}}),
                either<Numbers>({{10}, {100}}, {{1}, {10}}));
     }},
    {"the gradients are not 0 before",
     "the gradients of weight and bias are added to what is already there; d_x is overwritten",
     [] {
       backward(either<Numbers>({{3}}, {{-4}}), either<Numbers>({{2}}, {{6}}), either<Numbers>({{10}}, {{100}}),
                either<double>(1000, 2000));
     }},
    {"different numbers of rows, inputs and outputs", "a gradient has the shape of what it is the gradient of",
     [] { backward(either<Index>(2, 3), either<Index>(3, 4), either<Index>(4, 6)); }},
    {"a row without gradient", "a row whose d_y is 0, such as padding, adds nothing to the parameters' gradients",
     [] {
       backward(either<Numbers>({{1, 2}, {3, 5}}, {{4, -1}, {2, 7}}),
                either<Numbers>({{7, 4}, {6, 9}}, {{3, 6}, {8, 5}}),
                either<Numbers>({{10, 100}, {0, 0}}, {{100, 1}, {0, 0}}));
     }},
    {"two batches in one update", "the parameters' gradients are sums over both batches; each batch has its own d_x",
     [] {
       RandomValues random = random_values(4);
       const Index in = 3, out = either<Index>(2, 4);
       Map map(round_numbers(random, out, in), round_numbers(random, 1, out));
       for (const Index rows : either<std::vector<Index>>({3, 1}, {2, 4})) {
         const Buffer<double> x = round_numbers(random, rows, in);
         map.run(x, round_numbers(random, rows, out));
         map.show_gradients();
       }
     }},
    {"random numbers", "the equations hold for any numbers",
     [] {
       RandomValues random = random_values(5);
       const Index rows = 5, in = either<Index>(6, 3), out = either<Index>(4, 7);
       const Buffer<double> weight = random.matrix(out, in), x = random.matrix(rows, in);
       backward(weight, x, random.matrix(rows, out), 0.5);
     }},
};

}  // namespace glassformer::labs

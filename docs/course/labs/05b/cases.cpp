#include "cases.hpp"

#include "lora_linear.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

struct Inputs {
  Buffer<double> weight, a, b;  // [out, in], [R, in], [out, R]
  double alpha = 1;
  double start = 0;  // of all gradients
};

/// An adapted map with these parameters.
class Map {
 public:
  explicit Map(const Inputs& in) : map_(random_, in.weight.cols(), in.weight.rows(), in.a.rows(), in.alpha) {
    map_->weight.in(map_.weights).eigen() = in.weight.eigen();
    map_->a.in(map_.weights).eigen() = in.a.eigen();
    map_->b.in(map_.weights).eigen() = in.b.eigen();
    for (double& number : map_.gradient.values()) {
      number = in.start;
    }
    input("W", in.weight);
    input("A", in.a);
    input("B", in.b);
    input("scale, which is alpha / rank", in.alpha / static_cast<double>(in.a.rows()));
    if (in.start != 0) {
      input("d_A, d_B and the gradient of W at the start, each number", in.start);
    }
  }

  void forward(const Buffer<double>& x) {
    input("x", x);
    output("y", map_->forward(x));
  }
  void backward(const Buffer<double>& x, const Buffer<double>& d_y) {
    input("x", x);
    input("d_y", d_y);
    map_->forward(x);
    output("d_x", map_->backward(d_y));
  }
  void show_gradients() {
    output("d_A", map_->a.gradient());
    output("d_B", map_->b.gradient());
    output("the gradient of W, which is frozen", map_->weight.gradient());
  }

 private:
  RandomValues random_{1};
  SingleLayer<LoraLinear<double>> map_;
};

Inputs round_parameters(RandomValues& random, Index in, Index out, Index rank, double alpha) {
  Buffer<double> weight = round_numbers(random, out, in);
  Buffer<double> a = round_numbers(random, rank, in);
  return {std::move(weight), std::move(a), round_numbers(random, out, rank), alpha};
}

void forward(const Inputs& inputs, const Buffer<double>& x) { Map(inputs).forward(x); }

void backward(const Inputs& inputs, const Buffer<double>& x, const Buffer<double>& d_y) {
  Map map(inputs);
  map.backward(x, d_y);
  map.show_gradients();
}

/// Round numbers of these shapes.
void backward(Index rows, Index in, Index out, Index rank, double alpha) {
  RandomValues random = random_values(3);
  const Inputs inputs = round_parameters(random, in, out, rank, alpha);
  const Buffer<double> x = round_numbers(random, rows, in);
  backward(inputs, x, round_numbers(random, rows, out));
}

/// One input, one output, rank 1.
Inputs numbers(double start = 0) {
  return either<Inputs>({{{3}}, {{5}}, {{7}}, 10, start}, {{{-2}}, {{3}}, {{4}}, 100, start});
}
Inputs two_by_two() {
  return either<Inputs>({{{1, 2}, {3, 5}}, {{1, 10}}, {{1}, {-1}}, 2}, {{{4, -1}, {2, 7}}, {{10, 1}}, {{2}, {1}}, 3});
}
/// B is 0, as when training begins.
Inputs at_the_start() {
  return either<Inputs>({{{1, 2}, {3, 5}}, {{1, 10}}, {{0}, {0}}, 2}, {{{4, -1}, {2, 7}}, {{10, 1}}, {{0}, {0}}, 3});
}

}  // namespace

const std::vector<Case> cases = {
    {"forward, one input, one output, rank 1", "y is x W^T plus scale (x A^T) B^T",
     [] { forward(numbers(), either<Numbers>({{2}}, {{6}})); }},
    {"forward, B is 0",
     "B is 0 when training begins, so at first y is x W^T: the adapted map computes what W alone does",
     [] {
       forward(at_the_start(), either<Numbers>({{7, 4}}, {{3, 6}}));
     }},
    {"forward, two inputs, two outputs, rank 1", "x A^T has one number per row: it mixes the inputs, and B spreads it",
     [] {
       forward(two_by_two(), either<Numbers>({{7, 4}}, {{3, 6}}));
     }},
    {"forward, rank 2", "the scale is alpha / rank, and x A^T has as many columns as the rank",
     [] {
       RandomValues random = random_values(2);
       const Index in = 3, out = either<Index>(4, 5);
       const Inputs inputs = round_parameters(random, in, out, 2, 8);
       forward(inputs, round_numbers(random, either<Index>(2, 4), in));
     }},
    {"backward, one input, one output, rank 1",
     "x reaches y in two ways, so d_x has two terms; what goes through A and B has the factor scale",
     [] { backward(numbers(), either<Numbers>({{2}}, {{6}}), either<Numbers>({{10}}, {{1}})); }},
    {"backward, rows, inputs, outputs and rank are the same number",
     "here a wrong product may have the right shape, so check which index each sum runs over",
     [] {
       const Index size = either<Index>(2, 3);
       backward(size, size, size, size, 6);
     }},
    {"backward, B is 0",
     "as long as B is 0, A has no effect on y, and its gradient is 0; B learns first, because x A^T is not 0",
     [] {
       backward(at_the_start(), either<Numbers>({{7, 4}}, {{3, 6}}), either<Numbers>({{10, 100}}, {{100, 1}}));
     }},
    {"backward, two inputs, two outputs, rank 1", "each gradient has the shape of what it is the gradient of",
     [] {
       backward(two_by_two(), either<Numbers>({{7, 4}}, {{3, 6}}), either<Numbers>({{10, 100}}, {{100, 1}}));
     }},
    {"backward, two rows", "all rows use the same A and B, so their gradients add up",
     [] {
       backward(two_by_two(), either<Numbers>({{7, 4}, {1, 0}}, {{3, 6}, {0, 1}}),
                either<Numbers>({{10, 100}, {1, 0}}, {{100, 1}, {0, 10}}));
     }},
    {"the gradients are not 0 before",
     "the gradients of A and B are added to what is there; W is frozen, so its gradient stays as it was",
     [] {
       backward(numbers(either<double>(1000, 2000)), either<Numbers>({{2}}, {{6}}), either<Numbers>({{10}}, {{1}}));
     }},
    {"rows, inputs, outputs and rank are different numbers", "x A^T is [N, R], and so is its gradient",
     [] { backward(either<Index>(5, 6), either<Index>(3, 4), either<Index>(4, 5), 2, either<double>(6, 10)); }},
    {"two batches in one update", "the gradients of A and B are sums over both batches; each batch has its own d_x",
     [] {
       RandomValues random = random_values(4);
       const Index in = 3, out = either<Index>(2, 4);
       Map map(round_parameters(random, in, out, 2, 6));
       for (const Index rows : either<std::vector<Index>>({3, 1}, {2, 4})) {
         const Buffer<double> x = round_numbers(random, rows, in);
         map.backward(x, round_numbers(random, rows, out));
         map.show_gradients();
       }
     }},
};

}  // namespace glassformer::labs

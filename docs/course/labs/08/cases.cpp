#include "cases.hpp"

#include <algorithm>

#include "glassformer/layers/add_and_norm.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

constexpr double kRate = 0.5;

/// A residual connection around a sublayer that multiplies each number by its slope: output = slope * entered.
class Example {
 public:
  Example(Norm norm, Buffer<double> x, Buffer<double> slope, double rate = 0)
      : x_(std::move(x)),
        slope_(std::move(slope)),
        rate_(rate),
        residual_(random_, AddAndNormSettings{norm, x_.cols(), rate}) {
    // Easy to calculate with, but not the gain of 1 and the bias of 0 that hide mistakes.
    const auto gain = parameter(residual_.weights, Role::gain);
    const auto bias = parameter(residual_.weights, Role::bias);
    for (Index j = 0; j < x_.cols(); ++j) {
      gain[j] = 1 + j % 2;
      bias[j] = j == 0;
    }
    input("x", x_);
    input("the sublayer multiplies by", slope_);
    input("gain", row_matrix(gain));
    input("bias", row_matrix(bias));
    if (rate > 0) {
      show_dropout();
    }
  }
  Example& forward(const Pass& pass = {}) {
    run_forward(pass);
    output("entered, which enter returns", entered_);
    output("y, which leave_in_place returns", y_);
    return *this;
  }
  void backward(const Buffer<double>& d_y, const Pass& pass = {}) {
    input("d_y", d_y);
    run_forward(pass);
    const Buffer<double>& d_output = residual_->leave_backward(pass, d_y);
    output("d_sublayer_output, which leave_backward returns", d_output);
    Buffer<double> d_entered = buffer_of(d_output.eigen().cwiseProduct(slope_.eigen()));
    output("d_x, which enter_backward_in_place returns", residual_->enter_backward_in_place(pass, d_entered));
    output("d_gain", row_matrix(parameter(residual_.gradient, Role::gain)));
    output("d_bias", row_matrix(parameter(residual_.gradient, Role::bias)));
  }

 private:
  /// The norm's parameter with this role. It is found by its role, so that NormLayer may be any class.
  static RowView<double> parameter(Arena<double>& arena, Role role) {
    return arena.values(*std::ranges::find(arena.tensors(), role, &TensorPlace::role));
  }
  void run_forward(const Pass& pass) {
    const Buffer<double>& entered = residual_->enter(pass, x_);
    entered_ = entered;
    output_ = buffer_of(entered.eigen().cwiseProduct(slope_.eigen()));
    y_ = residual_->leave_in_place(pass, x_, output_);
  }
  /// Dropout multiplies by these numbers: the same dropout, applied to a matrix of ones.
  void show_dropout() {
    Buffer<double> factors(x_.rows(), x_.cols());
    factors.fill(1);
    SingleLayer<Dropout<double>>(random_, rate_)->forward_in_place(kTrainingPass, factors);
    input("in training, dropout multiplies by", factors);
  }

  Buffer<double> x_, slope_, entered_, output_, y_;
  double rate_;
  RandomValues random_{1};
  SingleLayer<ResidualConnection<double>> residual_;
};

/// Two sentences of two tokens.
Example two_sentences(Norm norm, double rate) {
  RandomValues random = random_values(8);
  const Index width = either<Index>(4, 6);
  Buffer<double> x = round_numbers(random, 4, width, 0.5);
  Buffer<double> slope = round_numbers(random, 4, width, 0.5);
  return {norm, std::move(x), std::move(slope), rate};
}
Buffer<double> gradient_of_two_sentences() {
  RandomValues random = random_values(9);
  return round_numbers(random, 4, either<Index>(4, 6), 0.5);
}

}  // namespace

const std::vector<Case> cases = {
    {"forward, pre-norm", "the sublayer reads LayerNorm(x), and its output is added to x itself",
     [] {
       Example(Norm::pre, either<Numbers>({{1, 1, 3, 3}}, {{2, 6, 6, 2, 6, 2}}),
               either<Numbers>({{0, 1, 1, 10}}, {{1, 0, -1, 4, 2, 0}}))
           .forward();
     }},
    {"forward, post-norm", "the sublayer reads x, and the sum of x and its output is normalised",
     [] {
       Example(Norm::post, either<Numbers>({{1, 2, 1, 3}}, {{2, 3, 6, 1, 4, 12}}),
               either<Numbers>({{0, -0.5, 2, 0}}, {{0, 1, 0, 1, -0.5, -0.5}}))
           .forward();
     }},
    {"forward, pre-norm, dropout", "dropout is applied to the sublayer's output only, before the sum",
     [] { two_sentences(Norm::pre, kRate).forward(kTrainingPass); }},
    {"forward, post-norm, no training", "outside training, dropout changes nothing",
     [] { two_sentences(Norm::post, kRate).forward(); }},
    {"forward, post-norm, dropout", "dropout is applied to the sublayer's output only, before the sum is normalised",
     [] { two_sentences(Norm::post, kRate).forward(kTrainingPass); }},
    {"backward, pre-norm", "x reaches y by two paths, and the norm is only on the one through the sublayer",
     [] {
       Example(Norm::pre, either<Numbers>({{1, 1, 3, 3}}, {{2, 6, 6, 2, 6, 2}}),
               either<Numbers>({{1, 0, 0, 0}}, {{0, 2, 0, 0, 0, 0}}))
           .backward(either<Numbers>({{4, 0, 0, 8}}, {{0, 3, 6, 0, 0, 0}}));
     }},
    {"backward, post-norm", "x reaches the sum by two paths, and the norm after the sum is on both",
     [] {
       Example(Norm::post, either<Numbers>({{1, 0.5, 3, 3}}, {{2, 3, 6, 2, 6, 2}}),
               either<Numbers>({{0, 1, 0, 0}}, {{0, 1, 0, 0, 0, 0}}))
           .backward(either<Numbers>({{4, 0, 0, 8}}, {{0, 3, 6, 0, 0, 0}}));
     }},
    {"backward, pre-norm, dropout", "dropout is only on the path through the sublayer",
     [] { two_sentences(Norm::pre, kRate).backward(gradient_of_two_sentences(), kTrainingPass); }},
    {"backward, post-norm, dropout",
     "dropout is only on the path through the sublayer; backward goes through the norm first",
     [] { two_sentences(Norm::post, kRate).backward(gradient_of_two_sentences(), kTrainingPass); }},
};

}  // namespace glassformer::labs

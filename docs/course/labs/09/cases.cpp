#include "cases.hpp"

#include <limits>

#include "glassformer/layers/cross_entropy.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void show(const Buffer<double>& logits, const IdMatrix& expected, const CrossEntropySettings& settings) {
  input("logits", logits);
  input("expected", expected);
  input("pad", settings.pad);
  input("label smoothing", settings.label_smoothing);
}

/// p is not shown where a row does not count: nobody reads it.
void forward(Buffer<double> logits, const IdMatrix& expected, const CrossEntropySettings& settings) {
  show(logits, expected, settings);
  CrossEntropy<double> layer("loss", settings);
  const Losses<double> losses = layer.forward_in_place({}, logits, expected);
  for (Index n = 0; n < logits.rows(); ++n) {
    if (expected(n / expected.cols(), n % expected.cols()) == settings.pad) {
      logits.eigen().row(n).setZero();
    }
  }
  output("p", logits);
  output("losses", losses.of_rows);
  output("cross_entropies", losses.cross_entropies);
  output("total loss", losses.loss);
  output("total cross_entropy", losses.cross_entropy);
  output("tokens", static_cast<double>(losses.tokens));
  output("correct", static_cast<double>(losses.correct));
}

void backward(Buffer<double> logits, const IdMatrix& expected, const CrossEntropySettings& settings, double d_loss) {
  show(logits, expected, settings);
  input("d_loss", d_loss);
  CrossEntropy<double> layer("loss", settings);
  layer.forward_in_place({}, logits, expected);
  output("d_logits", layer.backward_in_place({}, d_loss));
}

}  // namespace

const std::vector<Case> cases = {
    {"forward: one row", "the loss is minus the logarithm of the expected token's probability",
     [] {
       forward(either<Numbers>({{0, 1}}, {{2, 1, -1}}), either(IdMatrix{{1}}, IdMatrix{{2}}), {});
     }},
    {"forward: two equal logits", "if several logits are the largest, only the first of them is the prediction",
     [] {
       forward(either<Numbers>({{0, 2, 2}, {0, 2, 2}, {1, 3, 3}}, {{3, 1, 3, -1}, {-1, 2, 0, 2}, {2, 4, 3, 4}}),
               either(IdMatrix{{2, 1, 1}}, IdMatrix{{2, 1, 1}}), {});
     }},
    {"forward: large logits", "the loss is finite, even if the probability of the expected token is rounded to 0",
     [] {
       forward(either<Numbers>({{1000, 0}}, {{2000, 1, -3}}), IdMatrix{{1}}, {});
     }},
    {"forward: only negative logits", "the largest logit of a row may be far below 0; the prediction is its token",
     [] {
       forward(either<Numbers>({{-1003, -1001, -1002}}, {{-2000, -2002, -1999, -2001}}),
               either(IdMatrix{{1}}, IdMatrix{{2}}), {});
     }},
    {"forward: label smoothing", "each of the V tokens gets smoothing / V, and the expected token gets the rest",
     [] {
       forward(either<Numbers>({{0, 1, 3}}, {{1, -1, 2, 0}}), either(IdMatrix{{2}}, IdMatrix{{1}}),
               {.label_smoothing = either(0.3, 0.2)});
     }},
    {"forward: two sentences, padding", "rows whose expected token is padding do not count, whatever their logits are",
     [] {
       const auto logits = either<Numbers>({{0, 1, 3}, {2, 0, 0}, {1, 1, 0}, {0, kNaN, 1}},
                                           {{2, 2, 0}, {0, 3, 1}, {kNaN, 0, 0}, {0, 2, 1}, {1, 1, 5}, {2, 4, 1}});
       forward(logits, either(IdMatrix{{2, 1}, {1, 0}}, IdMatrix{{1, 2, 0}, {1, 0, 0}}),
               {.label_smoothing = either(0.3, 0.2)});
     }},
    {"forward: the padding id is larger than the vocabulary", "the padding id need not be a column of the logits",
     [] {
       const Id pad = either<Id>(1'000'000'000, 900'000'000);
       forward(either<Numbers>({{0, 1, 3}, {2, 0, 0}}, {{1, 0}, {0, 4}}),
               either(IdMatrix{{2, pad}}, IdMatrix{{pad, 0}}), {.pad = pad});
     }},
    {"backward: one row", "raising the expected token's logit lowers the loss; raising all logits changes nothing",
     [] {
       backward(either<Numbers>({{0, 1}}, {{2, 1, -1}}), either(IdMatrix{{1}}, IdMatrix{{2}}), {}, 1);
     }},
    {"backward: label smoothing, and d_loss", "d_logits is d_loss times the derivative of the smoothed loss",
     [] {
       backward(either<Numbers>({{0, 1, 3}}, {{1, -1, 2, 0}}), either(IdMatrix{{2}}, IdMatrix{{1}}),
                {.label_smoothing = either(0.3, 0.2)}, either(0.5, 0.25));
     }},
    {"backward: padding", "rows whose expected token is padding have the gradient 0, even if p is NaN",
     [] {
       const auto logits = either<Numbers>({{0, 1, 3}, {0, kNaN, 1}, {2, 0, 0}, {1, 2, 0}},
                                           {{1, 0, 2}, {0, 3, 1}, {kNaN, 0, 0}, {0, 2, 1}, {1, 1, 5}, {2, 4, 1}});
       backward(logits, either(IdMatrix{{2, 0}, {1, 0}}, IdMatrix{{1, 2, 0}, {1, 0, 0}}), {}, either(0.5, 0.25));
     }},
    {"backward: two sentences of three tokens", "each row has its own expected token; d_loss is the same for all rows",
     [] {
       RandomValues random = random_values(9);
       const auto expected = either(IdMatrix{{4, 2, 1}, {3, 1, 0}}, IdMatrix{{1, 3}, {6, 0}, {2, 5}});
       backward(round_numbers(random, 6, either<Index>(5, 7)), expected, {.label_smoothing = either(0.1, 0.15)},
                either(0.2, 0.3));
     }},
};

}  // namespace glassformer::labs

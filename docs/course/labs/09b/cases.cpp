#include "cases.hpp"

#include <limits>

#include "smoothing_without_padding.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void target(const SmoothingSettings& settings, Id expected, Index vocabulary) {
  input("smoothing", settings.smoothing);
  input("pad", settings.pad);
  input("expected", expected);
  Buffer<double> q(1, vocabulary);
  q.fill(kNaN);  // of an earlier row
  smoothed_target(settings, expected, q.row(0));
  output("q", q);
}

void show(const SmoothingSettings& settings, const Buffer<double>& logits, const IdMatrix& expected) {
  input("logits", logits);
  input("expected", expected);
  input("pad", settings.pad);
  input("smoothing", settings.smoothing);
}

void forward(const SmoothingSettings& settings, const Buffer<double>& logits, const IdMatrix& expected) {
  show(settings, logits, expected);
  output("loss", smoothed_cross_entropy(settings, logits, expected));
}

void backward(const SmoothingSettings& settings, const Buffer<double>& logits, const IdMatrix& expected,
              double d_loss) {
  show(settings, logits, expected);
  input("d_loss", d_loss);
  output("d_logits", smoothed_cross_entropy_backward(settings, logits, expected, d_loss));
}

}  // namespace

const std::vector<Case> cases = {
    {"target", "padding gets 0, the expected token 1 - s, and all others share s equally, so that the row adds up to 1",
     [] { target({.pad = 0, .smoothing = either(0.3, 0.2)}, either<Id>(2, 1), either<Index>(5, 6)); }},
    {"target: padding is not the first token", "padding gets 0, wherever it is in the vocabulary",
     [] { target({.pad = either<Id>(3, 1), .smoothing = either(0.2, 0.3)}, either<Id>(0, 4), either<Index>(4, 5)); }},
    {"target: no smoothing", "the expected token has it all",
     [] { target({.pad = 0, .smoothing = 0}, either<Id>(1, 3), either<Index>(3, 4)); }},
    {"loss: no smoothing", "the loss is minus the logarithm of the expected token's probability",
     [] {
       forward({}, either<Numbers>({{0, 1, 2}}, {{1, -1, 2, 0}}), IdMatrix{{1}});
     }},
    {"loss: smoothing", "the loss is the mean of all -log p_v, weighted by q",
     [] {
       forward({.smoothing = either(0.3, 0.2)}, either<Numbers>({{0, 1, 3, -1}}, {{2, -1, 2, 0, 1}}),
               either(IdMatrix{{2}}, IdMatrix{{1}}));
     }},
    {"loss: large logits", "the loss is finite, even if a probability is rounded to 0",
     [] {
       forward({.smoothing = either(0.25, 0.5)},
               either<Numbers>({{0, 1000, 2}, {900, 0, 1}, {0, 2, 1100}},
                               {{3, 0, 1, 2000}, {1500, 1, 0, 2}, {0, 3, 1700, 1}}),
               either(IdMatrix{{2, 1, 2}}, IdMatrix{{1, 3, 1}}));
     }},
    {"loss: only negative logits", "the largest logit of a row may be far below 0",
     [] {
       forward({.smoothing = 0.25}, either<Numbers>({{-1000, -1001, -1003}}, {{-2002, -2000, -2001, -2003}}),
               either(IdMatrix{{1}}, IdMatrix{{2}}));
     }},
    {"loss: the logit of padding is -infinity", "padding has the probability 0 and the q 0, and adds 0 to the loss",
     [] {
       const auto logits = either<Numbers>({{-kInfinity, 1, 3, 0}}, {{1, -kInfinity, 2}});
       forward({.pad = either<Id>(0, 1), .smoothing = 0.25}, logits, IdMatrix{{2}});
     }},
    {"loss: two sentences, padding", "rows whose expected token is padding do not count, whatever their logits are",
     [] {
       const auto logits = either<Numbers>({{0, 1, 3}, {0, kNaN, 1}, {1, 1, 0}, {2, 0, 0}},
                                           {{1, 0, 2}, {0, 3, 1}, {kNaN, 0, 0}, {0, 2, 1}, {1, 1, 5}, {2, 4, 1}});
       forward({.smoothing = either(0.3, 0.2)}, logits,
               either(IdMatrix{{2, 0}, {1, 1}}, IdMatrix{{1, 2, 0}, {1, 0, 0}}));
     }},
    {"backward: no smoothing", "raising the expected token's logit lowers the loss; raising all logits changes nothing",
     [] {
       backward({}, either<Numbers>({{0, 1, 2}}, {{1, -1, 2, 0}}), IdMatrix{{1}}, 1);
     }},
    {"backward: smoothing, and d_loss", "d_logits is d_loss times the derivative of the loss",
     [] {
       backward({.smoothing = either(0.3, 0.2)}, either<Numbers>({{0, 1, 3, -1}}, {{2, -1, 2, 0, 1}}),
                either(IdMatrix{{2}}, IdMatrix{{1}}), either(0.5, 0.25));
     }},
    {"backward: large logits", "the gradient is finite, too, whether the logits are far above 0 or far below",
     [] {
       backward({.smoothing = either(0.25, 0.5)},
                either<Numbers>({{0, 1000, 2}, {900, 0, 1}, {-1002, -1001, -1000}},
                                {{-2000, -2003, -2001, -2002}, {0, 3, 1700, 1}, {-1500, -1502, -1501, -1499}}),
                either(IdMatrix{{2, 1, 2}}, IdMatrix{{1, 3, 1}}), 1);
     }},
    {"backward: padding", "rows whose expected token is padding have the gradient 0, even if p is NaN",
     [] {
       const auto logits = either<Numbers>({{-kInfinity, 1, 3}, {0, kNaN, 1}, {2, 0, 0}, {1, 2, 0}},
                                           {{1, 0, 2}, {0, 3, 1}, {kNaN, 0, 0}, {0, 2, 1}, {1, 1, 5}, {2, 4, 1}});
       backward({.smoothing = either(0.3, 0.2)}, logits,
                either(IdMatrix{{2, 0}, {1, 0}}, IdMatrix{{1, 2, 0}, {1, 0, 0}}), either(0.5, 0.25));
     }},
    {"a batch", "each row has its own q and p; the loss is the sum over all rows",
     [] {
       RandomValues random = random_values(9);
       const SmoothingSettings settings{.pad = either<Id>(4, 6), .smoothing = either(0.1, 0.15)};
       const auto expected = either(IdMatrix{{3, 2, 1}, {2, 0, 4}}, IdMatrix{{1, 3}, {5, 6}, {2, 0}});
       const Buffer<double> logits = round_numbers(random, 6, either<Index>(5, 7));
       forward(settings, logits, expected);
       backward(settings, logits, expected, either(0.2, 0.3));
     }},
};

}  // namespace glassformer::labs

#include "cases.hpp"

#include <cmath>

#include "glassformer/training/optimizer.hpp"
#include "lion.hpp"

namespace glassformer::labs {
namespace {

/// An optimizer, and what it updates.
struct Updates {
  LionSettings settings;
  Buffer<double> parameters;
  Lion lion{settings, parameters.cols()};
  Index t = 0;

  void show() const {
    input("parameters", parameters);
    input("beta1, beta2", Buffer<double>{{settings.beta1, settings.beta2}});
    if (settings.weight_decay != 0) {
      input("weight_decay", settings.weight_decay);
    }
    if (settings.clip_norm != 0) {
      input("clip_norm", settings.clip_norm);
    }
  }
  void update(const Buffer<double>& gradient, double rate) {
    const double norm = euclidean_norm<double>(gradient.row(0));
    const std::string number = ++t > 1 ? " " + std::to_string(t) : "";
    input("gradient" + number, gradient);
    input("norm" + number, norm);
    input("rate" + number, rate);
    lion.update(parameters.row(0), gradient.row(0), norm, rate);
    output("parameters" + number, parameters);
    output("m" + number, row_matrix(RowView<const double>(lion.m().data(), parameters.cols())));
  }
};

/// Updates with simple betas, one for each gradient.
void updates(LionSettings settings, const Buffer<double>& parameters, std::initializer_list<Buffer<double>> gradients) {
  settings.beta1 = either(0.5, 0.75);
  settings.beta2 = either(0.75, 0.875);
  Updates updates{.settings = settings, .parameters = parameters};
  updates.show();
  for (const Buffer<double>& gradient : gradients) {
    updates.update(gradient, either(0.125, 0.25));
  }
}

}  // namespace

const std::vector<Case> cases = {
    {"sign", "1 above 0, -1 below 0, and 0 at 0, however small x is",
     [] {
       const auto x = either<Numbers>({{2, -3, 0, 1e-9, -1e-9}}, {{-0.5, 0, 7, -1e-12, 1e-12, 1}});
       input("x", x);
       Buffer<double> signs(1, x.cols());
       for (Index i = 0; i < x.cols(); ++i) {
         signs(0, i) = sign(x(0, i));
       }
       output("sign", signs);
     }},
    {"the first update", "each parameter that has a gradient moves by the whole rate, however small its gradient is",
     [] {
       updates({}, either<Numbers>({{1, 1, 1, 1}}, {{2, 0, 1}}),
               {either<Numbers>({{0.5, -0.25, 0.0001, 0}}, {{-0.0001, 0, 0.25}})});
     }},
    {"a gradient that changes its sign", "c depends on earlier gradients, too, so the parameter may move on as before",
     [] {
       updates({}, either<Numbers>({{0, 0}}, {{1, -1}}),
               {either<Numbers>({{1, 1}}, {{-1, 1}}), either<Numbers>({{-0.125, -1}}, {{0.0625, -1}})});
     }},
    {"c is not the new m", "c mixes the old m and g with beta1; m is then updated with beta2",
     [] {
       updates({}, either<Numbers>({{0, 0, 0}}, {{1, -1, 2}}),
               {either<Numbers>({{1, 1, 1}}, {{-1, 1, -1}}),
                either<Numbers>({{-0.5, 0.5, -0.21875}}, {{0.5, -0.5, 0.3125}}),
                either<Numbers>({{0.25, 0, 0}}, {{0, 0.5, 0}})});
     }},
    {"weight decay", "decay shrinks the parameters, even those without a gradient, and m does not contain it",
     [] {
       updates({.weight_decay = either(0.5, 0.25)}, either<Numbers>({{1, 0, -2}}, {{0, 4, -1}}),
               {either<Numbers>({{0.25, 0.25, 0}}, {{0.5, 0, -0.25}})});
     }},
    {"a gradient longer than clip_norm", "it is scaled down to clip_norm, so m is smaller",
     [] {
       updates({.clip_norm = either(2.0, 4.0)}, either<Numbers>({{0, 0}}, {{1, 1}}),
               {either<Numbers>({{3, 4}}, {{12, -5}})});
     }},
    {"a gradient shorter than clip_norm", "it stays as it is",
     [] {
       updates({.clip_norm = either(8.0, 20.0)}, either<Numbers>({{0, 0}}, {{1, 1}}),
               {either<Numbers>({{3, 4}}, {{12, -5}})});
     }},
    {"clip_norm is 0", "nothing is clipped",
     [] {
       updates({.clip_norm = 0}, {{0, 0}}, {either<Numbers>({{3, 4}}, {{12, -5}})});
     }},
    {"clipping decides a sign", "without clipping, the newest gradient would outweigh m and change the sign of c",
     [] {
       updates({.clip_norm = 1}, {{0, 0}},
               {either<Numbers>({{0.75, 0}}, {{0, -0.75}}), either<Numbers>({{-0.5, 8}}, {{9, 1}})});
     }},
    {"all together", "the three equations, in this order, in each update",
     [] {
       RandomValues random = random_values(11);
       updates({.weight_decay = either(0.5, 0.25), .clip_norm = 1}, round_numbers(random, 1, either<Index>(4, 6)),
               {round_numbers(random, 1, either<Index>(4, 6)), round_numbers(random, 1, either<Index>(4, 6)),
                round_numbers(random, 1, either<Index>(4, 6), 0.0625)});
     }},
};

}  // namespace glassformer::labs

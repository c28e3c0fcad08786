#include "cases.hpp"

#include "glassformer/training/optimizer.hpp"
#include "glassformer/training/schedule.hpp"

namespace glassformer::labs {
namespace {

using Kind = OptimizerSettings::Kind;
using Schedule = ScheduleSettings::Kind;

void rates(const std::string& name, const ScheduleSettings& settings, Index max_updates,
           const Buffer<double>& updates) {
  Buffer<double> found(1, updates.cols());
  for (Index i = 0; i < updates.cols(); ++i) {
    found(0, i) = learning_rate(settings, max_updates, static_cast<Index>(updates(0, i)));
  }
  output(name, found);
}

void show(const ScheduleSettings& settings, const Buffer<double>& updates) {
  input("learning_rate", settings.learning_rate);
  input("warmup", static_cast<double>(settings.warmup));
  input("initial_rate", settings.initial_rate);
  input("update", updates);
}

/// An optimizer of one vector, and what it updates.
struct Updates {
  OptimizerSettings settings;
  Buffer<double> parameters;
  std::vector<TensorPlace> tensors = {
      {.name = "vector", .shape = {parameters.cols()}, .role = Role::bias, .offset = 0, .size = parameters.cols()}};
  Optimizer<double> optimizer{settings, tensors};
  Index t = 0;

  void show() const {
    input("parameters", parameters);
    input("clip_norm", settings.clip_norm);
    if (settings.weight_decay != 0) {
      input("weight_decay", settings.weight_decay);
    }
    if (settings.epsilon > 1e-3) {
      input("epsilon", settings.epsilon);
    }
    input("beta1, beta2", Buffer<double>{{settings.beta1, settings.beta2}});
  }
  void update(const Buffer<double>& gradient, double rate) {
    const double norm = euclidean_norm<double>(gradient.row(0));
    const std::string number = ++t > 1 ? " " + std::to_string(t) : "";
    input("gradient" + number, gradient);
    input("norm" + number, norm);
    input("rate" + number, rate);
    optimizer.update(parameters.row(0), gradient.row(0), norm, rate, t);
    output("m" + number, row_matrix(RowView<const double>(optimizer.m().data(), parameters.cols())));
    output("v" + number, row_matrix(RowView<const double>(optimizer.v().data(), parameters.cols())));
    output("parameters" + number, parameters);
  }
};

/// One update with simple betas.
void one_update(OptimizerSettings settings, const Buffer<double>& parameters, const Buffer<double>& gradient) {
  settings.beta1 = either(0.75, 0.875);
  settings.beta2 = either(0.9375, 0.75);
  Updates updates{.settings = settings, .parameters = parameters};
  updates.show();
  updates.update(gradient, 0.125);
}

/// One update of two biases, a matrix of a layer, and another bias.
void muon_update(OptimizerSettings settings, const Buffer<double>& gradient) {
  settings.kind = Kind::muon;
  settings.beta1 = either(0.75, 0.875);
  settings.beta2 = either(0.9375, 0.75);
  Updates updates{
      .settings = settings,
      .parameters = {{1, 1, 2, 2, 2, 2, 1}},
      .tensors = {
          {.name = "bias", .shape = {2}, .role = Role::bias, .offset = 0, .size = 2},
          {.name = "encoder.layers.0.weight", .shape = {2, 2}, .role = Role::projection, .offset = 2, .size = 4},
          {.name = "other_bias", .shape = {1}, .role = Role::bias, .offset = 6, .size = 1}}};
  updates.show();
  updates.update(gradient, 0.125);
}

}  // namespace

const std::vector<Case> cases = {
    {"warm-up", "the rate rises in equal steps to its peak at u = warmup; then, with `constant`, it stays there",
     [] {
       const ScheduleSettings settings{.kind = Schedule::constant,
                                       .learning_rate = either(5.0, 9.0),
                                       .warmup = either<Index>(4, 5),
                                       .initial_rate = either(1.0, 2.0)};
       const auto updates = either<Numbers>({{1, 2, 3, 4, 5, 100}}, {{1, 2, 3, 4, 5, 6, 50}});
       show(settings, updates);
       rates("rate", settings, 0, updates);
     }},
    {"inverse square root", "after the warm-up, four times as many updates halve the rate; a warmup of 0 counts as 1",
     [] {
       ScheduleSettings settings{
           .learning_rate = either(8.0, 6.0), .warmup = either<Index>(4, 9), .initial_rate = either(0.0, 1.5)};
       const auto updates = either<Numbers>({{1, 3, 4, 6, 16, 64}}, {{1, 8, 9, 25, 36, 144}});
       show(settings, updates);
       rates("rate", settings, 0, updates);
       settings.warmup = 0;
       rates("rate if warmup is 0", settings, 0, updates);
     }},
    {"cosine",
     "the rate falls from its peak at warmup + 1 to final_rate at max_updates + 1; midway, it is the mean of both",
     [] {
       const ScheduleSettings settings{.kind = Schedule::cosine,
                                       .learning_rate = either(6.0, 8.0),
                                       .warmup = either<Index>(4, 6),
                                       .initial_rate = either(0.0, 2.0),
                                       .final_rate = either(2.0, 0.5)};
       const auto updates = either<Numbers>({{2, 4, 5, 7, 9, 12, 13, 20}}, {{3, 6, 7, 9, 12, 16, 17, 30}});
       const auto max_updates = either<Index>(12, 16);
       show(settings, updates);
       input("final_rate", settings.final_rate);
       input("max_updates", static_cast<double>(max_updates));
       rates("rate", settings, max_updates, updates);
     }},
    {"the first update", "each parameter that has a gradient moves by about the rate, however small its gradient is",
     [] {
       one_update({.clip_norm = 1}, {{1, 1, 1, 1}},
                  either<Numbers>({{0.5, -0.25, 0.0625, 0}}, {{-0.125, 0, 0.5, 0.03125}}));
     }},
    {"three updates", "m and v remember earlier gradients, with less weight from update to update",
     [] {
       Updates updates{
           .settings = {.beta1 = either(0.75, 0.625), .beta2 = either(0.9375, 0.75), .epsilon = either(0.25, 0.125)},
           .parameters = either<Numbers>({{1, 1}}, {{0, 2}})};
       updates.show();
       updates.update(either<Numbers>({{0.5, 0.5}}, {{-0.25, 0.5}}), either(0.125, 0.25));
       updates.update(either<Numbers>({{0.5, -0.25}}, {{0.5, 0.25}}), either(0.25, 0.125));
       updates.update(either<Numbers>({{0, 0.5}}, {{0.25, 0}}), 0.25);
     }},
    {"a gradient longer than clip_norm", "it is scaled down to clip_norm, and its direction stays",
     [] {
       one_update({.clip_norm = either(0.5, 0.25)}, {{0, 0}}, either<Numbers>({{3, 4}}, {{12, -5}}));
     }},
    {"a gradient as long as clip_norm", "only a longer one is scaled down",
     [] {
       one_update({.clip_norm = either(5.0, 10.0)}, {{0, 0}}, either<Numbers>({{3, 4}}, {{6, -8}}));
     }},
    {"clip_norm is 0", "nothing is clipped",
     [] {
       one_update({.clip_norm = 0}, {{0, 0}}, either<Numbers>({{3, 4}}, {{12, -5}}));
     }},
    {"adam with weight decay", "decay is part of the gradient, so m and v contain it",
     [] {
       one_update({.kind = Kind::adam, .weight_decay = either(0.5, 0.25)}, either<Numbers>({{1, 0, -2}}, {{0, 4, -1}}),
                  either<Numbers>({{0.25, 0.25, 0}}, {{0.5, 0, -0.25}}));
     }},
    {"adam with weight decay, clipped", "only the gradient is clipped; decay is added afterwards",
     [] {
       one_update({.kind = Kind::adam, .weight_decay = either(0.5, 0.25), .clip_norm = either(2.0, 4.0)},
                  either<Numbers>({{1, 0, -2}}, {{0, 4, -1}}), either<Numbers>({{3, 4, 0}}, {{0, -5, 12}}));
     }},
    {"adamw with weight decay", "decay shrinks the parameters before the step, and m and v do not contain it",
     [] {
       one_update({.kind = Kind::adamw, .weight_decay = either(0.5, 0.25)}, either<Numbers>({{1, 0, -2}}, {{0, 4, -1}}),
                  either<Numbers>({{0.25, 0.25, 0}}, {{0.5, 0, -0.25}}));
     }},
    {"muon", "Muon updates the 2 x 2 matrix in the middle of the parameters, and Adam the numbers before and after it",
     [] {
       muon_update({}, either<Numbers>({{0.25, -0.25, 0.5, 0, 0, 0.25, 0.5}}, {{0.5, 0.25, 0, -0.5, 0.25, 0, 0.25}}));
     }},
    {"muon with clipping and weight decay", "scale is for Muon, too; what Adam updates decays as in adamw",
     [] {
       muon_update({.weight_decay = either(0.5, 0.25), .clip_norm = either(4.0, 3.0)},
                   either<Numbers>({{3, 0, 4, 0, 0, 12, 0}}, {{0, -6, 0, 6, 6, 0, 6}}));
     }},
};

}  // namespace glassformer::labs

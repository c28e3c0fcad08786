#pragma once

#include "training/settings.hpp"

namespace glassformer {

/// The learning rate of update 1, 2, 3, ...: a linear rise over the warm-up, then
///
///   inverse_sqrt   rate * sqrt(warmup / update)                                   (Vaswani et al. 2017, section 5.3)
///   cosine         from rate to final_rate along half a cosine, at max_updates    (Loshchilov & Hutter 2017)
///   constant       rate
double learning_rate(const ScheduleSettings& settings, Index max_updates, Index update);

}  // namespace glassformer

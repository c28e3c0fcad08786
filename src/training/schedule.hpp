#pragma once

#include "glassformer/training/settings.hpp"

namespace glassformer {

/// The learning rate of update u = 1, 2, 3, ..., where rate = settings.learning_rate:
///
///   warm-up        initial_rate + (rate - initial_rate) * u / warmup              while u < warmup; then:
///   inverse_sqrt   rate * sqrt(warmup / u), a warmup of 0 counts as 1             (Vaswani et al. 2017, section 5.3)
///   cosine         half a cosine, from rate at u = warmup + 1 to final_rate       (Loshchilov & Hutter 2017)
///                  at u = max_updates + 1, so the last update's rate is slightly higher
///   constant       rate
double learning_rate(const ScheduleSettings& settings, Index max_updates, Index update);

}  // namespace glassformer

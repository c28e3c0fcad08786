#include <cmath>

#include "catch.hpp"
#include "glassformer/training/schedule.hpp"

using namespace glassformer;
using Kind = ScheduleSettings::Kind;

namespace {

ScheduleSettings schedule_of(Kind kind) {
  return {.kind = kind, .learning_rate = 0.01, .warmup = 100, .initial_rate = 0.001, .final_rate = 0.002};
}

}  // namespace

TEST_CASE("every schedule rises linearly from the initial rate to the peak at the end of the warm-up", "[training]") {
  for (const Kind kind : {Kind::inverse_sqrt, Kind::cosine, Kind::constant}) {
    CHECK(learning_rate(schedule_of(kind), 1000, 1) == Approx(0.001 + 0.009 / 100));
    CHECK(learning_rate(schedule_of(kind), 1000, 50) == Approx(0.0055));
    CHECK(learning_rate(schedule_of(kind), 1000, 100) == Approx(0.01));
  }
}

TEST_CASE("after the warm-up, inverse_sqrt halves the rate each time the number of updates quadruples", "[training]") {
  CHECK(learning_rate(schedule_of(Kind::inverse_sqrt), 0, 400) == Approx(0.005));
  CHECK(learning_rate(schedule_of(Kind::inverse_sqrt), 0, 1600) == Approx(0.0025));
}

TEST_CASE("cosine goes from the peak through the mean to the final rate, and stays there", "[training]") {
  CHECK(learning_rate(schedule_of(Kind::cosine), 1100, 601) == Approx(0.006));
  CHECK(learning_rate(schedule_of(Kind::cosine), 1100, 351) == Approx(0.002 + 0.008 * (1 + std::cos(M_PI / 4)) / 2));
  CHECK(learning_rate(schedule_of(Kind::cosine), 1100, 101) == Approx(0.01));
  CHECK(learning_rate(schedule_of(Kind::cosine), 1100, 1100) > 0.002);
  CHECK(learning_rate(schedule_of(Kind::cosine), 1100, 1101) == 0.002);
  CHECK(learning_rate(schedule_of(Kind::cosine), 1100, 2000) == Approx(0.002));
}

TEST_CASE("constant keeps the rate", "[training]") {
  CHECK(learning_rate(schedule_of(Kind::constant), 0, 101) == Approx(0.01));
  CHECK(learning_rate(schedule_of(Kind::constant), 0, 100000) == Approx(0.01));
}

TEST_CASE("without warm-up, the first update has the peak rate", "[training]") {
  for (const Kind kind : {Kind::inverse_sqrt, Kind::cosine, Kind::constant}) {
    ScheduleSettings no_warmup = schedule_of(kind);
    no_warmup.warmup = 0;
    CHECK(learning_rate(no_warmup, 1000, 1) == Approx(0.01).epsilon(1e-4));
  }
}

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/config/config.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/run/diagnostics.hpp"

using namespace glassformer;

namespace {

/// What a run's log contains about this config.
std::string warnings_about(const Config& config) {
  const stand_in::TemporaryDirectory run;
  {
    RunLog log(run.path(), {}, {.write = [](std::string_view) {}, .width = [] { return 80; }});
    warn_about(config.model, config.training);
  }
  return stand_in::read_bytes(run / "train.log");
}

}  // namespace

TEST_CASE("the default config gets no warning; a post-norm model without warm-up does", "[training]") {
  Config config;
  CHECK(warnings_about(config) == "");
  config.training.schedule.warmup = 0;
  CHECK_THAT(warnings_about(config), stand_in::Says("  warning: model.norm is post"));
  config.model.norm = Norm::pre;
  CHECK(warnings_about(config) == "");
}

TEST_CASE("a training that ends during the warm-up gets a warning with the rate that it reaches", "[training]") {
  Config config;
  config.training.schedule.warmup = 400;
  config.training.schedule.initial_rate = 0;
  config.training.schedule.learning_rate = 0.001;
  config.training.max_updates = 100;
  CHECK_THAT(warnings_about(config), stand_in::Says("  warning: training ends at update 100 (training.max_updates)"));
  CHECK_THAT(warnings_about(config), stand_in::Says("to the end, where it is 0.00025 "));
  for (const Index too_few : {10, 399, 400}) {
    config.training.max_updates = too_few;
    CHECK_THAT(warnings_about(config), stand_in::Says("training ends at update " + std::to_string(too_few) + " ("));
  }
  CHECK_THAT(warnings_about(config), stand_in::Says("to the end, where it is 0.001 "));
  for (const Index enough : {9, 401, 0}) {  // with 9 updates, someone is only trying things out
    config.training.max_updates = enough;
    CHECK(warnings_about(config) == "");
  }
}

TEST_CASE("each mask that is off gets a warning on a line of its own", "[training]") {
  const std::vector<std::pair<bool MaskSettings::*, std::string>> masks = {
      {&MaskSettings::encoder_padding, "masks.encoder_padding"},
      {&MaskSettings::look_ahead, "masks.look_ahead"},
      {&MaskSettings::target_padding, "masks.target_padding"},
      {&MaskSettings::cross_padding, "masks.cross_padding"}};
  Config all_off;
  for (const auto& [mask, name] : masks) {
    Config config;
    config.model.masks.*mask = all_off.model.masks.*mask = false;
    const std::string log = warnings_about(config);
    CHECK_THAT(log, stand_in::Says("  warning: " + name + " is OFF: "));
    CHECK(std::count(log.begin(), log.end(), '\n') == 1);
  }
  const std::string log = warnings_about(all_off);
  CHECK(std::count(log.begin(), log.end(), '\n') == 4);
}

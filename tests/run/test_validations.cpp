#include <string>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "run/toy_run.hpp"

using namespace glassformer;
using namespace toy_run;
using stand_in::Says;
using stand_in::TemporaryDirectory;

TEST_CASE(
    "only the first validation says why BLEU cannot rise, and only the last counts translations that were cut off",
    "[training]") {
  const TemporaryDirectory directory;
  directory.write("few.en", "i find\nyou see\n");
  directory.write("few.de", "ich finde\ndu siehst\n");
  train_toy(
      toy({"data.valid=" + (directory / "few").string(), "training.validation.every=2", "training.max_updates=6"}),
      directory / "run");
  const std::string log = stand_in::read_bytes(directory / "run" / "train.log");
  const std::string why = "BLEU counts runs of four words, but the longest reference has 2, ";
  CHECK_THAT(log, Says(why));
  CHECK(log.find(why) == log.rfind(why));
  // An untrained model repeats words without end.
  const std::string cut_off = " translations were cut off at the length limit";
  CHECK_THAT(log, Says("last validation: 2 of 2" + cut_off));
  CHECK(log.find(cut_off) == log.rfind(cut_off));
}

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "fake_ranks.hpp"
#include "run/toy_run.hpp"

using namespace glassformer;
using namespace toy_run;
using stand_in::complaint;
using stand_in::read_bytes;
using stand_in::Says;
using stand_in::TemporaryDirectory;
using test::FakeRanks;

namespace {

std::unique_ptr<TrainingRun> start_toy(const Config& config, const fs::path& directory, const Processes& ranks) {
  const TokenizerPair tokenizers = tokenizers_of(config);
  return start_run(plan_training(config, tokenizers), text_of(config, tokenizers), directory, {}, kNowhere, ranks);
}

/// The first of two ranks; the other one has trained for so many minutes, or was sent a signal.
class RankBesideAnother : public FakeRanks {
 public:
  RankBesideAnother(double minutes, int signal) : FakeRanks(0, 2), minutes_(minutes), signal_(signal) {}
  void largest(std::span<double> numbers) const override {
    numbers[0] = std::max(numbers[0], minutes_);
    numbers[1] = std::max(numbers[1], static_cast<double>(signal_));
  }

 private:
  double minutes_;
  int signal_;
};

}  // namespace

TEST_CASE("ranks must have the same training text, divided into the same tokens", "[training]") {
  const TemporaryDirectory directory;
  const Config mine = toy({"training.max_updates=1"});
  const auto complaint_beside = [&](const std::string& key) {
    const fs::path place = directory / key.substr(0, key.find('='));
    std::vector<std::vector<std::byte>> answers;  // of a rank that trains with this key
    const FakeRanks recording(
        0, 2, [&](int, std::span<std::byte> answer) { answers.emplace_back(answer.begin(), answer.end()); });
    start_toy(toy({"training.max_updates=1", key}), place / "other", recording);
    std::size_t next = 0;
    const FakeRanks beside_it(0, 2, [&](int, std::span<std::byte> answer) {
      REQUIRE(answers.at(next).size() == answer.size());
      std::ranges::copy(answers[next++], answer.begin());
    });
    const std::string text = complaint([&] { start_toy(mine, place / "mine", beside_it); });
    CHECK(fs::exists(place / "mine") == text.empty());  // a run that cannot start leaves nothing behind
    return text;
  };
  CHECK(complaint_beside("training.log_every=1").empty());
  for (const char* key : {"data.train=test", "data.max_length=9", "tokenizer.vocabulary_size=100"}) {
    CAPTURE(key);
    CHECK_THAT(complaint_beside(key), Says("the tokens of the training text: not the same on rank 1 on "));
  }
}

TEST_CASE("ranks end by the clock that is furthest ahead, and by a signal to any of them", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=1", "training.max_minutes=400"});
  const RankBesideAnother late(500, 0);
  CHECK(start_toy(config, directory / "late", late)->train(kNever) == 0);
  CHECK_THAT(read_bytes(directory / "late" / "train.log"),
             Says("finished at update 0: reached training.max_minutes\n"));
  const RankBesideAnother ended(0, SIGTERM);
  CHECK(start_toy(config, directory / "ended", ended)->train(kNever) == SIGTERM);
  CHECK(fs::read_symlink(directory / "ended" / "last") == "step-00000000");
}

TEST_CASE("a run does not start if a text has changed since it was read", "[training]") {
  const TemporaryDirectory directory;
  const fs::path text = directory / "text";
  fs::copy(toy({"training.max_updates=1"}).data.directory, text);
  const Config config = toy({"training.max_updates=1", "data.directory=" + text.string(), "data.valid=test"});
  const TokenizerPair tokenizers = tokenizers_of(config);
  const TrainingPlan plan = plan_training(config, tokenizers);
  const auto complaint_after_change = [&](const std::string& name) {
    const TrainingText read = text_of(config, tokenizers);
    const fs::path file = text / name;
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
    return complaint([&] { start_run(plan, read, directory / ("run-" + name), {}, kNowhere); });
  };
  for (const std::string name : {"valid.en", "valid.de", "test.en", "test.de"}) {
    CAPTURE(name);
    CHECK_THAT(complaint_after_change(name),
               Says((text / name).string() + ": the text was changed while training was reading it"));
  }
  CHECK(complaint_after_change("train.en").empty());  // not a text of this run
}

TEST_CASE("a run logs the sizes of its texts, of what it leaves out, and of its vocabularies", "[training]") {
  const TemporaryDirectory directory;
  directory.write("some.en", "a\nb c\nd e f\n\n\n1 2 3 4 5 6\n");
  directory.write("some.de", "r\ns\nt\nu\nv\nw\n");
  directory.write("few.en", "a\nb\n");
  directory.write("few.de", "r\ns\n");
  train_toy(toy({"data.train=" + (directory / "some").string(), "data.valid=" + (directory / "few").string(),
                 "data.max_length=5", "training.max_updates=1", "training.shards=3"}),
            directory / "run");
  const std::string log = read_bytes(directory / "run" / "train.log");
  CHECK_THAT(log, Says("3 training pairs, 2 validation pairs; left out of training: 2 with an empty side, 1 with more "
                       "than 5 tokens on one side\n"));
  CHECK_THAT(log, Says(fmt::format("{} parameters; vocabularies: 16 source, 10 target; threads: ",
                                   parameters_of(directory / "run" / "last"))) &&
                      Says("; shards: 3; "));  // a vocabulary has four special tokens, too
}

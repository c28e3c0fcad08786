#include <array>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/glassformer.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"
#include "glassformer/training/trainer.hpp"
#include "session/small_session.hpp"

using namespace glassformer;
using session_test::small_session;

namespace {

/// Settings of which each can change alone without breaking a rule.
SessionSettings independent_settings() {
  SessionSettings settings = small_session();
  settings.model.tied_embeddings = Tying::none;
  settings.training.max_updates = 1000;
  return settings;
}

/// Another value that a setting accepts.
Index another(Index value, Index, Index) { return value > 0 ? 2 * value : 1; }
double another(double value, const Range&) { return value > 0 ? value / 2 : 0.25; }
bool another(bool value) { return !value; }
std::uint64_t another(std::uint64_t value) { return value + 1; }
template <class Enum, std::size_t size>
Enum another(Enum value, const std::array<const char*, size>&) {
  return static_cast<Enum>((static_cast<std::size_t>(value) + 1) % size);
}

/// For each setting, its name, and `settings` with another value of it.
std::vector<std::pair<std::string, SessionSettings>> each_changed(const SessionSettings& settings) {
  std::vector<std::pair<std::string, SessionSettings>> all;
  for (bool found = true; found;) {
    found = false;
    SessionSettings other = settings;
    std::size_t seen = 0;
    std::string changed;
    const auto change = [&](const char* name, const std::string&, auto& value, const auto&... accepted) {
      if (seen++ == all.size()) {
        value = another(value, accepted...);
        changed = name;
        found = true;
      }
    };
    for_each_setting(other.model, change);
    for_each_setting(other.model.masks, change);
    for_each_setting(other.training, change);
    for_each_setting(other.training.optimizer, change);
    for_each_setting(other.training.schedule, change);
    if (found) {
      all.emplace_back(changed, other);
    }
  }
  const auto add = [&](const std::string& name, const auto& change) {
    SessionSettings other = settings;
    change(other);
    all.emplace_back(name, other);
  };
  add("source_vocabulary", [](SessionSettings& other) { ++other.source_vocabulary; });
  add("target_vocabulary", [](SessionSettings& other) { ++other.target_vocabulary; });
  for (const auto side : {&SpecialIdPair::source, &SpecialIdPair::target}) {
    for (const auto id : {&SpecialIds::pad, &SpecialIds::bos, &SpecialIds::eos, &SpecialIds::unk}) {
      add("special", [&](SessionSettings& other) { other.special.*side.*id += 4; });
    }
  }
  return all;
}

}  // namespace

TEST_CASE("A snapshot belongs to sessions in which every setting is the same", "[session]") {
  const SessionSettings settings = independent_settings();
  const std::vector<std::byte> snapshot = Session(settings, {}).snapshot();
  Session(settings, {}).restore(snapshot);
  const auto changed = each_changed(settings);
  REQUIRE(changed.size() > 40);
  for (const auto& [name, other] : changed) {
    CAPTURE(name);
    Session session(other, {});
    CHECK_THROWS_WITH(session.restore(snapshot), "snapshot: it belongs to a session with other settings");
  }
}

TEST_CASE("A snapshot belongs to sessions with the same words in the same sentences", "[session]") {
  const SessionSettings settings = independent_settings();
  const std::vector<SentencePair> pairs = {{{4, 5, 6}, {7, 8}}, {{9, 10}, {6}}};
  const std::vector<std::byte> snapshot = Session(settings, pairs).snapshot();
  Session(settings, pairs).restore(snapshot);
  for (const std::vector<SentencePair>& other : std::vector<std::vector<SentencePair>>{
           {{{11, 5, 6}, {7, 8}}, {{9, 10}, {6}}},  // another word
           {{{4, 5, 6}, {7, 8}}, {{9, 10}, {5}}},
           {{{4, 5}, {6, 7, 8}}, {{9, 10}, {6}}},  // the same words, divided differently
           {{{4, 5, 6}, {7, 8}}, {{9}, {10, 6}}},
           {{{9, 10}, {6}}, {{4, 5, 6}, {7, 8}}},  // another order
           {{{4, 5, 6}, {7, 8}}},
       }) {
    Session session(settings, other);
    CHECK_THROWS_WITH(session.restore(snapshot), "snapshot: it belongs to a session with other sentence pairs");
  }
}

TEST_CASE("Training continues from another session's weights, moments and progress", "[session]") {
  const std::vector<SentencePair> pairs{{{4, 5, 6}, {7, 8}}, {{9, 10}, {4, 4, 5}}};
  const auto train = [](Session& session, int updates) {
    for (int i = 0; i < updates; ++i) {
      session.step();
    }
  };
  Session first(small_session(), pairs);
  train(first, 3);
  const auto all_of = [](const std::vector<TensorView<const float>>& tensors) {
    std::vector<float> all;
    for (const TensorView<const float>& tensor : tensors) {
      all.insert(all.end(), tensor.values.begin(), tensor.values.end());
    }
    return all;
  };
  const std::vector<float> weights = all_of(std::as_const(first).weights());
  const std::vector<float> m = all_of(first.first_moments());
  const std::vector<float> v = all_of(first.second_moments());
  const Progress progress{.update = 3, .epoch = 3};
  Session second(small_session(), pairs);
  second.continue_from(progress, weights, m, v);
  CHECK(second.updates() == 3);
  train(first, 2);
  train(second, 2);
  CHECK(second.snapshot() == first.snapshot());

  SECTION("wrong sizes are refused, and nothing changes") {
    const std::vector<float> short_by_one(weights.size() - 1);
    const std::string message = "progress: expected " + std::to_string(weights.size()) + " numbers, found " +
                                std::to_string(short_by_one.size());
    CHECK_THROWS_WITH(second.continue_from(progress, short_by_one, m, v), message);
    CHECK_THROWS_WITH(second.continue_from(progress, weights, short_by_one, v), message);
    CHECK_THROWS_WITH(second.continue_from(progress, weights, m, short_by_one), message);
    CHECK(second.snapshot() == first.snapshot());
  }
  SECTION("impossible progress is refused, and nothing changes") {
    for (const Progress& impossible :
         {Progress{.update = 3, .epoch = 4}, Progress{.update = 3, .epoch = -1}, Progress{.update = 3, .batch = -1},
          Progress{.update = 3, .skipped = 4}, Progress{.update = 3, .skipped = 1, .skipped_in_row = 2}}) {
      CHECK_THROWS_WITH(second.continue_from(impossible, weights, m, v), "progress: it is impossible");
    }
    CHECK_THROWS_WITH(second.continue_from({.update = 9, .batch = 8}, weights, m, v),
                      "progress: its epoch has no batch 8");
    CHECK(second.snapshot() == first.snapshot());
  }
  SECTION("a session without pairs cannot continue") {
    Session translator(small_session(), {});
    CHECK_THROWS_WITH(translator.continue_from(progress, weights, m, v),
                      "this session has no sentence pairs to train on");
  }
}

#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/glassformer.hpp"
#include "session/small_session.hpp"

using namespace glassformer;
using session_test::small_session;

namespace {

/// Each special id of one side is a different special id of the other.
SessionSettings settings_with_unequal_ids() {
  SessionSettings settings = small_session();
  settings.training.schedule = {.kind = ScheduleSettings::Kind::constant, .learning_rate = 3e-3, .warmup = 2};
  settings.special = {.source = {.pad = 0, .bos = 1, .eos = 2, .unk = 3},
                      .target = {.pad = 3, .bos = 2, .eos = 1, .unk = 0}};
  return settings;
}

}  // namespace

TEST_CASE("A session gives its translations the log-probabilities that their traces show, if both sides have other ids",
          "[session]") {
  const std::vector<SentencePair> pairs = {{{4, 5, 6}, {7, 6}}, {{7, 8}, {4, 5, 9}}, {{9, 10, 11, 4}, {8}}};
  Session session(settings_with_unequal_ids(), pairs);
  for (int i = 0; i < 30; ++i) {
    session.step();
  }
  for (const SentencePair& pair : pairs) {
    const auto hypotheses = session.translate({&pair.source, 1}, {.beam = 3, .n_best = 3});
    for (const Hypothesis& hypothesis : hypotheses.front()) {
      const std::vector<SentencePair> translated = {{pair.source, hypothesis.ids}};
      const SessionTrace trace = session.trace(translated, session.masks(translated));
      std::vector<Answer> answers = trace.numbers.answers.front();
      REQUIRE(answers.size() == hypothesis.ids.size() + 1);
      if (!hypothesis.finished) {
        answers.pop_back();  // eos
      }
      double log_probability = 0;
      for (const Answer& answer : answers) {
        log_probability -= answer.cross_entropy;
      }
      CHECK(hypothesis.log_probability == Approx(log_probability).margin(1e-4));
    }
  }
}

TEST_CASE("Id 0 is a word like any other if it is not padding", "[session]") {
  const std::vector<SentencePair> pairs = {{{4, 5}, {0, 7}}};  // the target's unk
  Session session(settings_with_unequal_ids(), pairs);
  session.step();
  CHECK(session.trace(pairs, session.masks(pairs)).numbers.answers.front().front().expected == 0);
}

TEST_CASE("If all embeddings are tied, both sides of a session have the same padding", "[session]") {
  SessionSettings settings = settings_with_unequal_ids();
  settings.model.tied_embeddings = Tying::all;
  settings.target_vocabulary = settings.source_vocabulary;
  settings.special = {};
  Session(settings, {});
  for (const auto& [source, target] : {std::pair<Id, Id>(0, 4), {4, 0}, {kNoToken, 0}, {0, kNoToken}}) {
    settings.special.source.pad = source;
    settings.special.target.pad = target;
    CHECK_THROWS_WITH(Session(settings, {}), "special.target.pad: all embeddings are tied, so expected the source's, " +
                                                 std::to_string(source) + ", found " + std::to_string(target));
  }
  settings.special.source.pad = settings.special.target.pad = kNoToken;
  Session(settings, {});
}

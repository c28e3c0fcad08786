#include <cmath>
#include <vector>

#include "catch.hpp"
#include "glassformer/decoding/beam_search.hpp"

using namespace glassformer;

namespace {

constexpr SpecialIds kBeamIds{.pad = 0, .bos = 1, .eos = 2};
constexpr Id kA = 3, kB = 4;

/// The probabilities of eos, a and b after one running hypothesis.
struct Next {
  double eos, a, b;
};

void advance(SentenceBeam& beam, const std::vector<Next>& next) {
  REQUIRE(beam.running().size() == next.size());
  Buffer<float> logits(static_cast<Index>(next.size()), 5);
  for (std::size_t h = 0; h < next.size(); ++h) {
    const double rest = (1 - next[h].eos - next[h].a - next[h].b) / 2;
    Index v = 0;
    for (const double p : {rest, rest, next[h].eos, next[h].a, next[h].b}) {
      logits(static_cast<Index>(h), v++) = static_cast<float>(std::log(p));
    }
  }
  LikeliestTokens likeliest(kBeamIds);
  beam.advance(logits, likeliest);
}

DecodingSettings beam_settings(Index beam, double length_penalty) {
  DecodingSettings s;
  s.beam = s.n_best = beam;
  s.length_penalty = length_penalty;
  return s;
}

}  // namespace

TEST_CASE("an extension that ends in eos is finished if it is within the beam, and others keep running", "[decoding]") {
  SentenceBeam beam(beam_settings(2, 0), kBeamIds, 10);
  advance(beam, {{.eos = 0.2, .a = 0.5, .b = 0.1}});  // a 0.5, eos 0.2 (finished), b 0.1
  REQUIRE(beam.running().size() == 2);
  CHECK(beam.running()[0].token == kA);
  CHECK(beam.running()[1].token == kB);
  advance(beam, {{.eos = 0.1, .a = 0.5, .b = 0.3}, {.eos = 0.7, .a = 0.1, .b = 0.1}});
  // a a 0.25, a b 0.15, b eos 0.07 is third and so not finished, a eos 0.05
  REQUIRE(beam.running().size() == 2);
  CHECK(beam.running()[0].parent == 0);
  CHECK(beam.running()[1].parent == 0);
  CHECK(beam.running()[1].token == kB);
  advance(beam, {{.eos = 0.9, .a = 0.02, .b = 0.02}, {.eos = 0.02, .a = 0.02, .b = 0.9}});
  // a a eos 0.225 is finished. It displaces nothing, because two are kept. a b b 0.135 cannot beat eos 0.2.
  REQUIRE(beam.running().empty());
  REQUIRE(beam.result().size() == 2);
  CHECK(beam.result()[0].ids == std::vector<Id>{kA, kA});
  CHECK(beam.result()[0].log_probability == Approx(std::log(0.225)).epsilon(1e-5));
  CHECK(beam.result()[1].ids.empty());
  CHECK(beam.result()[1].score == Approx(std::log(0.2)).epsilon(1e-5));
}

TEST_CASE("the search continues while a longer hypothesis may still score better", "[decoding]") {
  SentenceBeam beam(beam_settings(1, 1), kBeamIds, 10);
  advance(beam, {{.eos = 0.5, .a = 0.4, .b = 0.05}});
  REQUIRE(beam.running().size() == 1);  // the empty one is finished with log 0.5, but "a" may still reach log(0.4) / 11
  for (int t = 0; t < 4; ++t) {
    advance(beam, {{.eos = 0.004, .a = 0.99, .b = 0.001}});
  }
  advance(beam, {{.eos = 0.99, .a = 0.004, .b = 0.001}});
  const double log_p = std::log(0.4) + 5 * std::log(0.99);
  CHECK(beam.result().front().ids == std::vector<Id>(5, kA));
  CHECK(beam.result().front().score == Approx(log_p / 6).epsilon(1e-5));
  // The sixth a has log p = log 0.4 + 4 log 0.99 + log 0.004, too low even when divided by eleven.
  CHECK(beam.running().empty());
}

TEST_CASE("the search stops as soon as no running hypothesis can score better", "[decoding]") {
  SentenceBeam beam(beam_settings(1, 1), kBeamIds, 10);
  advance(beam, {{.eos = 0.9, .a = 0.3 * std::pow(0.9, 11), .b = 0.001}});  // log p / 11 < log 0.9
  CHECK(beam.running().empty());
  SentenceBeam longer(beam_settings(1, 1), kBeamIds, 30);  // but log p / 31 > log 0.9
  advance(longer, {{.eos = 0.9, .a = 0.3 * std::pow(0.9, 11), .b = 0.001}});
  CHECK(longer.running().size() == 1);
}

TEST_CASE("at the length limit only eos may follow, and hypotheses without eos are cut off", "[decoding]") {
  SentenceBeam ends(beam_settings(2, 1), kBeamIds, 1);
  SentenceBeam does_not(beam_settings(2, 1), kBeamIds, 1);
  advance(ends, {{.eos = 0.01, .a = 0.5, .b = 0.3}});
  advance(does_not, {{.eos = 0.01, .a = 0.5, .b = 0.3}});
  advance(ends, {{.eos = 0.3, .a = 0.5, .b = 0.1}, {.eos = 0.1, .a = 0.1, .b = 0.1}});
  REQUIRE(ends.running().empty());
  REQUIRE(ends.result().size() == 1);
  CHECK(ends.result()[0].finished);
  CHECK(ends.result()[0].ids == std::vector<Id>{kA});

  advance(does_not, {{.eos = 0.01, .a = 0.5, .b = 0.3}, {.eos = 0.1, .a = 0.1, .b = 0.1}});
  REQUIRE(does_not.running().empty());
  REQUIRE(does_not.result().size() == 2);
  CHECK(!does_not.result()[0].finished);
  CHECK(does_not.result()[0].ids == std::vector<Id>{kA});
  CHECK(does_not.result()[0].score == Approx(std::log(0.5)).epsilon(1e-5));
  CHECK(does_not.result()[1].ids == std::vector<Id>{kB});
}

TEST_CASE("equally likely extensions are ordered by token, then by parent", "[decoding]") {
  SentenceBeam beam(beam_settings(3, 0), kBeamIds, 10);
  advance(beam, {{.eos = 0.1, .a = 0.3, .b = 0.3}});
  REQUIRE(beam.running().size() == 2);  // no third token may be chosen
  CHECK(beam.running()[0].token == kA);
  advance(beam, {{.eos = 0.1, .a = 0.25, .b = 0.25}, {.eos = 0.1, .a = 0.25, .b = 0.25}});
  REQUIRE(beam.running().size() == 3);
  CHECK(beam.running()[0].token == kA);
  CHECK(beam.running()[0].parent == 0);
  CHECK(beam.running()[1].token == kA);
  CHECK(beam.running()[1].parent == 1);
  CHECK(beam.running()[2].token == kB);
  CHECK(beam.running()[2].parent == 0);
}

TEST_CASE("of finished hypotheses with equal scores, those that finished first come first and stay", "[decoding]") {
  SentenceBeam beam(beam_settings(3, 0), kBeamIds, 10);
  advance(beam, {{.eos = 0.2, .a = 0.35, .b = 0.35}});  // the empty one is finished
  advance(beam, {{.eos = 0.05, .a = 0.45, .b = 0.45}, {.eos = 0.05, .a = 0.45, .b = 0.45}});
  REQUIRE(beam.running().size() == 3);  // a a, b a and a b are equally likely
  advance(beam, std::vector<Next>(3, {.eos = 0.9, .a = 0.02, .b = 0.02}));
  REQUIRE(beam.running().empty());
  REQUIRE(beam.result().size() == 3);  // without a b, which is no better than the others
  CHECK(beam.result()[0].ids.empty());
  CHECK(beam.result()[1].ids == std::vector<Id>{kA, kA});
  CHECK(beam.result()[2].ids == std::vector<Id>{kB, kA});
  CHECK(beam.result()[1].score == beam.result()[2].score);
}

TEST_CASE("hypotheses that cannot become one of the n best are dropped", "[decoding]") {
  const auto after_one_step = [](Index n_best) {
    DecodingSettings some = beam_settings(2, 0);
    some.n_best = n_best;
    SentenceBeam beam(some, kBeamIds, 10);
    advance(beam, {{.eos = 0.5, .a = 0.3, .b = 0.1}});  // the empty one is finished with 0.5; a has 0.3, b 0.1
    return beam.running().size();
  };
  CHECK(after_one_step(2) == 2);
  CHECK(after_one_step(1) == 0);
}

TEST_CASE("early stopping counts finished hypotheses, regardless of n_best", "[decoding]") {
  const auto best_of = [](Index n_best) {
    DecodingSettings early = beam_settings(2, 1);
    early.early_stopping = true;
    early.n_best = n_best;
    SentenceBeam beam(early, kBeamIds, 2);
    advance(beam, {{.eos = 0.5, .a = 0.3, .b = 0.1}});
    advance(beam, {{.eos = 0.01, .a = 0.8, .b = 0.15}, {.eos = 0.9, .a = 0.01, .b = 0.01}});
    REQUIRE(beam.running().empty());  // the empty one and b are finished, though a a eos would score better
    return beam.result().front().ids;
  };
  CHECK(best_of(2).empty());
  CHECK(best_of(1).empty());
}

TEST_CASE("with early stopping a sentence is done once `beam` hypotheses are finished", "[decoding]") {
  DecodingSettings early = beam_settings(2, 1);
  early.early_stopping = true;
  SentenceBeam beam(early, kBeamIds, 10);
  advance(beam, {{.eos = 0.3, .a = 0.5, .b = 0.1}});
  REQUIRE(beam.running().size() == 2);  // one is finished
  advance(beam, {{.eos = 0.3, .a = 0.6, .b = 0.05}, {.eos = 0.02, .a = 0.02, .b = 0.9}});
  CHECK(beam.running().empty());  // two are, though a a, with log 0.3 so far, could still become the best
  REQUIRE(beam.result().size() == 2);
  CHECK(beam.result()[0].ids == std::vector<Id>{kA});
  CHECK(beam.result()[1].ids.empty());
}

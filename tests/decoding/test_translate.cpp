#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "threads.hpp"
#include "tiny_model.hpp"

using namespace glassformer;

namespace {

constexpr Index kTranslatedVocabulary = 70;

bool same_to_the_bit(const std::vector<std::vector<Hypothesis>>& a, const std::vector<std::vector<Hypothesis>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Hypothesis& h, const Hypothesis& g) {
      return h.ids == g.ids && h.finished == g.finished && std::memcmp(&h.score, &g.score, sizeof(double)) == 0 &&
             std::memcmp(&h.log_probability, &g.log_probability, sizeof(double)) == 0;
    });
  });
}

}  // namespace

TEST_CASE("translations are bit-identical for every batch size and number of threads", "[decoding][batches]") {
  TransformerSettings shape = tiny_settings();
  shape.d_model = GENERATE(16, 24, 64);
  TinyModel<float> tiny(shape, kTranslatedVocabulary);
  tiny.output_bias()[kEos] += 3;
  DecodingSettings settings;
  settings.beam = settings.n_best = GENERATE(1, 5);
  const std::vector<std::vector<Id>> sources = random_sources(80, 0, 20, kTranslatedVocabulary);
  settings.batch = 64;
  const WithThreads two(2);
  const auto expected = translate(tiny.model, settings, kTinyIds, sources);
  for (const Index batch : {1, 7, 64, 1000}) {
    for (const int threads : {1, 3}) {
      const WithThreads some(threads);
      settings.batch = batch;
      CAPTURE(shape.d_model, settings.beam, batch, threads);
      CHECK(same_to_the_bit(translate(tiny.model, settings, kTinyIds, sources), expected));
    }
  }
}

TEST_CASE("translations come in the order of the sources", "[decoding][batches]") {
  const TinyModel<float> tiny(tiny_settings(), kTranslatedVocabulary);
  DecodingSettings settings;
  settings.beam = settings.n_best = GENERATE(1, 3);
  settings.batch = 4;
  const std::vector<std::vector<Id>> sources = random_sources(30, 0, 9, kTranslatedVocabulary);
  const auto found = translate(tiny.model, settings, kTinyIds, sources);
  REQUIRE(found.size() == sources.size());
  for (std::size_t b = 0; b < sources.size(); ++b) {
    CHECK(same_to_the_bit({found[b]}, translate(tiny.model, settings, kTinyIds, {&sources[b], 1})));
  }
}

TEST_CASE("without sources there are no translations, and a source of eos alone gives one", "[decoding]") {
  const TinyModel<float> tiny(tiny_settings(), kTranslatedVocabulary);
  DecodingSettings settings;
  settings.beam = settings.n_best = GENERATE(1, 3);
  CHECK(translate(tiny.model, settings, kTinyIds, {}).empty());
  const std::vector<std::vector<Id>> sources = {{kEos}};
  CHECK(!translate(tiny.model, settings, kTinyIds, sources).front().empty());
}

TEST_CASE("a translation never contains pad, bos or more tokens than allowed", "[decoding]") {
  TinyModel<float> tiny(tiny_settings(), kTranslatedVocabulary);
  tiny.output_bias()[kPad] = 20;
  tiny.output_bias()[kBos] = 20;
  tiny.output_bias()[kEos] = -30;
  DecodingSettings settings;
  settings.beam = settings.n_best = GENERATE(1, 3);
  settings.max_length_ratio = 1.5;
  const std::vector<std::vector<Id>> sources = random_sources(10, 0, 9, kTranslatedVocabulary);
  const auto found = translate(tiny.model, settings, kTinyIds, sources);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const std::size_t words = sources[b].size() - 1;
    for (const Hypothesis& hypothesis : found[b]) {
      CHECK(!hypothesis.finished);
      CHECK(hypothesis.ids.size() == words * 3 / 2 + 10);
      for (const Id id : hypothesis.ids) {
        CHECK((id != kPad && id != kBos && id != kEos));
      }
    }
  }
}

TEST_CASE("a beam may be wider than the vocabulary", "[decoding]") {
  TinyModel<float> tiny(tiny_settings(), 6, 5);
  DecodingSettings settings;
  settings.beam = settings.n_best = 20;
  const std::vector<std::vector<Id>> sources = random_sources(5, 1, 6, 6);
  for (const auto& hypotheses : translate(tiny.model, settings, kTinyIds, sources)) {
    CHECK(hypotheses.size() > 6);
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CHECK(hypotheses[i].ids != hypotheses[j].ids);
      }
    }
  }
}

TEST_CASE("if the logits overflow, translations are marked: log p is NaN, not 0, which would be certainty",
          "[decoding]") {
  TinyModel<float> tiny(tiny_settings(), kTranslatedVocabulary);
  std::ranges::fill(tiny.output_bias(),
                    GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity()));
  DecodingSettings settings;
  settings.beam = settings.n_best = GENERATE(1, 3);
  const std::vector<std::vector<Id>> sources = random_sources(3, 1, 6, kTranslatedVocabulary);
  for (const auto& hypotheses : translate(tiny.model, settings, kTinyIds, sources)) {
    REQUIRE(hypotheses.size() == 1);
    CHECK(hypotheses.front().ids.empty());
    CHECK(!hypotheses.front().finished);
    CHECK(hypotheses.front().overflowed());
    CHECK(std::isnan(hypotheses.front().score));
  }
}

TEST_CASE("if the logits overflow in the middle of a translation, it is marked too", "[decoding]") {
  TransformerSettings shape = tiny_settings();
  TinyModel<float> tiny(shape, kTranslatedVocabulary);
  tiny.output_bias()[kEos] += 3;  // so that some translations are short
  const Transformer<float> layout(tiny.model.settings, tiny.model.vocabulary);
  DecodingSettings settings;
  settings.beam = settings.n_best = GENERATE(1, 3);
  const std::vector<std::vector<Id>> sources = random_sources(20, 1, 6, kTranslatedVocabulary);
  const auto sound = translate(tiny.model, settings, kTinyIds, sources);
  // The embedding of one token becomes infinite, so the step after it gives NaN. Take the rarest one.
  std::vector<int> counts(kTranslatedVocabulary);
  for (const auto& n_best : sound) {
    for (const Id id : n_best.front().ids) {
      ++counts[static_cast<std::size_t>(id)];
    }
  }
  Id rarest = 0;
  for (Id id = 3; id < kTranslatedVocabulary; ++id) {
    const int count = counts[static_cast<std::size_t>(id)];
    const int least = counts[static_cast<std::size_t>(rarest)];
    if (count > 0 && (least == 0 || count < least)) {
      rarest = id;
    }
  }
  REQUIRE(rarest > 0);
  const auto embedding = layout.target_embedding.table.in(tiny.model.weights).row(rarest);
  std::ranges::fill(embedding, std::numeric_limits<float>::infinity());
  const auto found = translate(tiny.model, settings, kTinyIds, sources);
  int unharmed = 0;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const std::vector<Id>& ids = sound[b].front().ids;
    if (std::find(ids.begin(), ids.end(), rarest) != ids.end()) {
      CHECK(found[b].front().overflowed());
    }
    if (found[b].front().overflowed()) {
      continue;
    }
    CHECK(found[b].front().ids == ids);
    ++unharmed;
  }
  if (settings.beam == 1) {
    CHECK(unharmed > 0);
  }
}

#include <span>
#include <vector>

#include "catch.hpp"
#include "decoding/incremental_decoder.hpp"
#include "tiny_model.hpp"

using namespace glassformer;

namespace {

constexpr Index kVocabulary = 37;

}  // namespace

TEST_CASE("a hypothesis' logits are the same to the bit, whatever is decoded beside it", "[decoding][batches]") {
  TransformerSettings settings = tiny_settings();
  const Index width = GENERATE(16, 24, 40, 256);  // of 256, keys and values have gaps between their rows
  settings.d_model = width;
  const TinyModel<float> tiny(settings, kVocabulary);
  const std::vector<std::vector<Id>> sources = random_sources(70, 0, 20, kVocabulary);
  const std::vector<std::span<const Id>> all(sources.begin(), sources.end());

  const std::vector<Id> tokens = {kBos, 5, 9, 30, 4};
  IncrementalDecoder<float> together, alone;
  together.start(tiny.model, tiny.p(), all, 1);
  std::vector<Matrix<float>> expected;
  for (const Id token : tokens) {
    std::vector<Extension> rows;
    for (Index b = 0; b < 70; ++b) rows.push_back({b, b, token});
    expected.push_back(together.step(rows));
  }
  for (const Index b : {0, 1, 17, 69}) {  // `alone` is used again and again
    alone.start(tiny.model, tiny.p(), std::span(all).subspan(static_cast<std::size_t>(b), 1), 1);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const Extension row{0, 0, tokens[t]};
      CAPTURE(width, b, t);
      CHECK(same_bits(alone.step({&row, 1}), expected[t].row(b)));
    }
  }
}

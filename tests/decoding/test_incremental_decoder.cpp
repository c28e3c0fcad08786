#include <algorithm>
#include <span>
#include <vector>

#include "catch.hpp"
#include "glassformer/decoding/incremental_decoder.hpp"
#include "tiny_model.hpp"

using namespace glassformer;

namespace {

constexpr Index kSteppedVocabulary = 37;
const std::vector<Id> kTokens = {kBos, 5, 9, 30, 4};

TinyModel<double> tiny_with_masks(const MaskSettings& masks) {
  TransformerSettings settings = tiny_settings();
  settings.masks = masks;
  return TinyModel<double>(settings, kSteppedVocabulary);
}

/// Decodes kTokens step by step in every sentence. Returns the logits [B, V] of each step.
std::vector<Buffer<double>> step_by_step(const TinyModel<double>& tiny, std::span<const std::vector<Id>> sources) {
  const std::vector<std::span<const Id>> spans(sources.begin(), sources.end());
  IncrementalDecoder<double> decoder(tiny.model);
  decoder.start(spans, 1);
  std::vector<Buffer<double>> logits;
  for (const Id token : kTokens) {
    std::vector<Extension> rows;
    for (Index b = 0; b < std::ssize(spans); ++b) {
      rows.push_back({b, b, token});
    }
    logits.push_back(decoder.step(rows));
  }
  return logits;
}

/// The same by teacher forcing, with all sentences in one batch, padded to the longest.
std::vector<Buffer<double>> teacher_forced(const TinyModel<double>& tiny, std::span<const std::vector<Id>> sources) {
  const Index B = std::ssize(sources);
  const Index T = std::ssize(kTokens);
  std::size_t longest = 0;
  for (const std::vector<Id>& source : sources) {
    longest = std::max(longest, source.size());
  }
  IdMatrix ids(B, static_cast<Index>(longest));
  IdMatrix input(B, T);
  ids.fill(kPad);
  for (Index b = 0; b < B; ++b) {
    const std::vector<Id>& source = sources[static_cast<std::size_t>(b)];
    for (std::size_t s = 0; s < source.size(); ++s) {
      ids(b, static_cast<Index>(s)) = source[s];
    }
    for (Index t = 0; t < T; ++t) {
      input(b, t) = kTokens[static_cast<std::size_t>(t)];
    }
  }
  const auto transformer = make_transformer(tiny.model);
  const TransformerMasks masks = transformer->masks(ids, input);
  const Buffer<double>& memory = transformer->encode({}, ids, masks.encoder_padding);
  const Buffer<double>& all = transformer->decode({}, input, memory, masks);  // [B*T, V]
  std::vector<Buffer<double>> logits(static_cast<std::size_t>(T), Buffer<double>(B, all.cols()));
  for (Index n = 0; n < B * T; ++n) {
    logits[static_cast<std::size_t>(n % T)].row(n / T).eigen() = all.row(n).eigen();
  }
  return logits;
}

double largest_difference_of_steps(const std::vector<Buffer<double>>& a, const std::vector<Buffer<double>>& b) {
  double largest = 0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    largest = std::max(largest, largest_difference(a[t], b[t]));
  }
  return largest;
}

}  // namespace

TEST_CASE("no bit of a hypothesis's logits depends on what else is in the batch", "[decoding][batches]") {
  TransformerSettings settings = tiny_settings();
  const Index width = GENERATE(16, 24, 40, 256);  // at 256, keys and values have gaps between rows
  settings.d_model = width;
  const TinyModel<float> tiny(settings, kSteppedVocabulary);
  const std::vector<std::vector<Id>> sources = random_sources(70, 0, 20, kSteppedVocabulary);
  const std::vector<std::span<const Id>> all(sources.begin(), sources.end());

  IncrementalDecoder<float> together(tiny.model);
  IncrementalDecoder<float> alone(tiny.model);
  together.start(all, 1);
  std::vector<Buffer<float>> expected;
  for (const Id token : kTokens) {
    std::vector<Extension> rows;
    for (Index b = 0; b < 70; ++b) {
      rows.push_back({b, b, token});
    }
    expected.push_back(together.step(rows));
  }
  for (const Index b : {0, 1, 17, 69}) {  // `alone` is reused
    alone.start(std::span(all).subspan(static_cast<std::size_t>(b), 1), 1);
    for (std::size_t t = 0; t < kTokens.size(); ++t) {
      const Extension row{0, 0, kTokens[t]};
      CAPTURE(width, b, t);
      CHECK(same_bits(alone.step({&row, 1}), expected[t].row(b)));
    }
  }
}

TEST_CASE("a model trained without a padding mask is decoded without it, and sees the batch's padding", "[decoding]") {
  const std::vector<std::vector<Id>> sources = random_sources(6, 0, 12, kSteppedVocabulary);
  for (const MaskSettings& masks :
       {MaskSettings{}, MaskSettings{.encoder_padding = false}, MaskSettings{.cross_padding = false},
        MaskSettings{.encoder_padding = false, .target_padding = false, .cross_padding = false}}) {
    CAPTURE(masks.encoder_padding, masks.target_padding, masks.cross_padding);
    const TinyModel<double> tiny = tiny_with_masks(masks);
    const std::vector<Buffer<double>> steps = step_by_step(tiny, sources);
    CHECK(largest_difference_of_steps(steps, teacher_forced(tiny, sources)) < 1e-12);

    double difference = 0;  // from each sentence alone, without padding
    for (Index b = 0; b < 6; ++b) {
      const std::vector<Buffer<double>> alone = step_by_step(tiny, {&sources[static_cast<std::size_t>(b)], 1});
      for (std::size_t t = 0; t < alone.size(); ++t) {
        difference = std::max(difference, largest_difference(alone[t], steps[t].row(b)));
      }
    }
    CHECK((difference > 1e-6) == (masks != MaskSettings{}));
  }
}

TEST_CASE("without the look-ahead mask, teacher forcing sees tokens that a stepwise decoder does not have yet",
          "[decoding]") {
  const std::vector<std::vector<Id>> sources = random_sources(6, 0, 12, kSteppedVocabulary);
  const TinyModel<double> causal = tiny_with_masks({});
  const TinyModel<double> leaking = tiny_with_masks({.look_ahead = false});
  const std::vector<Buffer<double>> steps = step_by_step(leaking, sources);
  CHECK(largest_difference_of_steps(steps, step_by_step(causal, sources)) == 0);
  CHECK(largest_difference_of_steps(steps, teacher_forced(causal, sources)) < 1e-12);
  CHECK(largest_difference_of_steps(steps, teacher_forced(leaking, sources)) > 1e-6);
}

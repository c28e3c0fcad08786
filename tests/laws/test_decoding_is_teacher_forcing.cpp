#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "decoding/tiny_model.hpp"
#include "glassformer/decoding/incremental_decoder.hpp"
#include "laws/draws.hpp"

/// Decoding step by step, with cached keys and values, gives the same logits as teacher forcing, which computes the
/// same prefix at once without a cache.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

constexpr Index kDecodedVocabulary = 37;

/// A running hypothesis and its tokens so far.
struct Running {
  Index sentence;
  std::vector<Id> ids;
};

/// Decodes random hypotheses of some sentences step by step, as beam search would. In each step a sentence gets `beam`
/// children of random parents, until its own last step. Returns the largest difference from teacher forcing.
template <class Scalar>
double difference_from_teacher_forcing(const TransformerSettings& settings, RandomValues& random, Index longest,
                                       Index beam) {
  const TinyModel<Scalar> tiny(settings, kDecodedVocabulary, static_cast<std::uint64_t>(random.index(1000)), 1);
  const auto sources = random_sources(static_cast<std::size_t>(between(random, 1, 6)), 0, 9, kDecodedVocabulary,
                                      static_cast<std::uint64_t>(random.index(1000)));
  const std::vector<std::span<const Id>> spans(sources.begin(), sources.end());
  IncrementalDecoder<Scalar> decoder(tiny.model);
  decoder.start(spans, beam);

  std::vector<Running> running;
  std::vector<Extension> rows;
  std::vector<Index> last_step;
  for (Index b = 0; b < static_cast<Index>(sources.size()); ++b) {
    running.push_back({b, {}});
    rows.push_back({b, 0, kBos});
    last_step.push_back(random.index(longest));
  }
  double difference = 0;
  for (Index t = 0; !rows.empty(); ++t) {
    const Buffer<Scalar>& logits = decoder.step(rows);
    std::vector<Running> next;
    rows.clear();
    for (Index r = 0, first = 0; r < static_cast<Index>(running.size()); ++r) {
      const Running& hypothesis = running[static_cast<std::size_t>(r)];
      const auto sentence = static_cast<std::size_t>(hypothesis.sentence);
      const Buffer<Scalar> forced = forced_logits(tiny, sources[sentence], {hypothesis.ids});
      difference = std::max(difference, largest_difference(logits.row(r), forced.row(t)));

      const bool last_of_sentence = r + 1 == static_cast<Index>(running.size()) ||
                                    running[static_cast<std::size_t>(r) + 1].sentence != hypothesis.sentence;
      if (!last_of_sentence) {
        continue;
      }
      for (Index i = 0; i < beam && t < last_step[sentence]; ++i) {
        const Index parent = between(random, first, r);
        const auto token = static_cast<Id>(3 + random.index(kDecodedVocabulary - 3));
        next.push_back(running[static_cast<std::size_t>(parent)]);
        next.back().ids.push_back(token);
        rows.push_back({hypothesis.sentence, parent, token});
      }
      first = r + 1;
    }
    running = std::move(next);
  }
  return difference;
}

/// Greedy search without a cache: each step recomputes the whole prefix by teacher forcing.
std::vector<Id> greedy_without_cache(const TinyModel<float>& tiny, const std::vector<Id>& source, std::size_t longest) {
  std::vector<Id> ids;
  while (ids.size() < longest) {
    Buffer<float> logits = forced_logits(tiny, source, {ids});
    const auto next = logits.row(logits.rows() - 1);
    next[kPad] = next[kBos] = -std::numeric_limits<float>::infinity();  // no translation contains them
    Index likeliest = 0;
    next.eigen().maxCoeff(&likeliest);
    if (likeliest == kEos) {
      break;
    }
    ids.push_back(static_cast<Id>(likeliest));
  }
  return ids;
}

}  // namespace

TEMPLATE_TEST_CASE("Law: decoding step by step with the cache gives the logits of teacher forcing without it", "[laws]",
                   float, double) {
  hold(31, [](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.encoder_layers = random.index(4);  // or none
    settings.decoder_layers = random.index(4);
    const Index longest = random.index(20) == 0 ? 40 : 6;
    const double difference =
        difference_from_teacher_forcing<TestType>(settings, random, longest, between(random, 1, 3));
    CHECK(difference < (std::is_same_v<TestType, float> ? 1e-5 : 1e-13));
  });
}

TEST_CASE("Law: greedy search finds the same tokens with the cache as without", "[laws]") {
  hold(32, [](RandomValues& random) {
    TinyModel<float> tiny(draw_settings(random), kDecodedVocabulary, static_cast<std::uint64_t>(random.index(1000)));
    tiny.output_bias()[kEos] += 2;
    const auto sources = random_sources(2, 0, 9, kDecodedVocabulary, static_cast<std::uint64_t>(random.index(1000)));
    const DecodingSettings settings{.beam = 1, .max_length_ratio = 1};
    const auto found = translate(tiny.model, settings, kTinyIds, sources);
    for (std::size_t b = 0; b < sources.size(); ++b) {
      const std::size_t words = sources[b].size() - 1;  // a translation has at most ten more tokens
      CHECK(found[b].front().ids == greedy_without_cache(tiny, sources[b], words + 10));
    }
  });
}

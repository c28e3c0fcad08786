#include "decoding/beam_search.hpp"

#include "decoding/scoring.hpp"
#include "decoding/sentence_beam.hpp"

namespace glassformer {

std::vector<std::vector<Hypothesis>> beam_search(const DecodingSettings& settings, const SearchIds& ids,
                                                 std::span<const std::span<const Id>> sources,
                                                 IncrementalDecoder<float>& decoder) {
  std::vector<SentenceBeam> beams;
  std::vector<Extension> rows, next;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    beams.emplace_back(settings, ids, longest_translation(settings, sources[b]));
    rows.push_back({static_cast<Index>(b), 0, ids.bos});
  }

  LikeliestTokens likeliest(ids);
  decoder.start(sources, settings.beam);
  while (!rows.empty()) {
    const Buffer<float>& logits = decoder.step(rows);  // [R, V]
    next.clear();
    Index first = 0;  // row of the sentence's first hypothesis
    for (std::size_t b = 0; b < beams.size(); ++b) {
      const auto count = static_cast<Index>(beams[b].running().size());
      if (count == 0) continue;  // done
      beams[b].advance(logits.view().middle_rows(first, count), likeliest);
      for (const SentenceBeam::Running& running : beams[b].running()) {
        next.push_back({static_cast<Index>(b), first + running.parent, running.token});
      }
      first += count;
    }
    std::swap(rows, next);
  }

  std::vector<std::vector<Hypothesis>> found;
  for (const SentenceBeam& beam : beams) found.emplace_back(beam.result().begin(), beam.result().end());
  return found;
}

}  // namespace glassformer

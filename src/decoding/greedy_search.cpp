#include "glassformer/decoding/greedy_search.hpp"

#include <utility>

#include "glassformer/decoding/likeliest_tokens.hpp"

namespace glassformer {
namespace {

/// Adds the most likely token; there is none if the logits overflowed. Returns whether the hypothesis continues.
bool grow(Hypothesis& hypothesis, std::span<const NextToken> likeliest, Id eos, Index limit) {
  const bool at_limit = static_cast<Index>(hypothesis.ids.size()) == limit;
  if (likeliest.empty()) {
    hypothesis.log_probability = kOverflow;
  }
  if (likeliest.empty() || (likeliest.front().id != eos && at_limit)) {
    hypothesis.finished = false;
    return false;
  }
  const auto [id, log_probability] = likeliest.front();
  hypothesis.log_probability += log_probability;
  if (id == eos) {
    return false;
  }
  hypothesis.ids.push_back(id);
  return true;
}

}  // namespace

std::vector<std::vector<Hypothesis>> greedy_search(const DecodingSettings& settings, const SpecialIds& ids,
                                                   std::span<const std::span<const Id>> sources,
                                                   IncrementalDecoder<float>& decoder) {
  std::vector<std::vector<Hypothesis>> found(sources.size(), std::vector<Hypothesis>(1));
  std::vector<Extension> rows;
  std::vector<Extension> next;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    rows.push_back({static_cast<Index>(b), 0, ids.bos});
  }

  LikeliestTokens likeliest(ids);
  decoder.start(sources, 1);
  while (!rows.empty()) {
    const Buffer<float>& logits = decoder.step(rows);  // [R, V]
    next.clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto row = static_cast<Index>(r);
      const auto sentence = rows[r].sentence;
      const auto b = static_cast<std::size_t>(sentence);
      const auto tokens = likeliest.choose(logits.row(row), 1);
      if (grow(found[b].front(), tokens, ids.eos, longest_translation(settings, std::ssize(sources[b])))) {
        next.push_back({sentence, row, tokens.front().id});
      }
    }
    std::swap(rows, next);
  }
  for (std::vector<Hypothesis>& only : found) {
    only.front().score = score(only.front(), settings.length_penalty);
  }
  return found;
}

}  // namespace glassformer

#include "glassformer/live/search_tree.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "glassformer/decoding/beam_search.hpp"
#include "glassformer/numerics/functions.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;
using Extended = SentenceBeam::Extended;

/// A search whose steps are kept.
class KeptSearch {
 public:
  KeptSearch(const DecodingSettings& search, const Vocabulary& target, Index source_tokens)
      : search_(search),
        target_(target),
        limit_(longest_translation(search, source_tokens)),
        beam_(search, target.special(), limit_) {}

  Json run(IncrementalDecoder<float>& decoder) {
    LikeliestTokens likeliest(target_.special());
    std::vector<Extension> rows = {{0, 0, target_.special().bos}};
    Json steps = Json::array();
    while (!rows.empty()) {
      const std::vector<SentenceBeam::Running> before(beam_.running().begin(), beam_.running().end());
      beam_.advance(decoder.step(rows), likeliest);
      steps.push_back(step_json(before));
      rows.clear();
      for (const SentenceBeam::Running& running : beam_.running()) {
        rows.push_back({0, running.parent, running.token});
      }
      ++length_;
    }
    return steps;
  }

  Index limit() const { return limit_; }
  const SentenceBeam& beam() const { return beam_; }

 private:
  Json step_json(const std::vector<SentenceBeam::Running>& before) const {
    Json list = Json::array();
    Index continued = 0;
    const std::span<const Extended> proposed = beam_.proposed();
    for (std::size_t rank = 0; rank < proposed.size(); ++rank) {
      const auto& [log_probability, token, parent] = proposed[rank];
      const double last = before[static_cast<std::size_t>(parent)].log_probability;
      list.push_back({{"parent", parent},
                      {"token", token},
                      {"text", target_.piece(token)},
                      {"probability", exp(log_probability - last)},
                      {"log_probability", log_probability},
                      {"score", length_normalised(log_probability, length_ + 1, search_.length_penalty)},
                      {"fate", fate(proposed[rank], static_cast<Index>(rank), continued)}});
    }
    return list;
  }

  /// `continued`: how many of the better extensions did not end.
  const char* fate(const Extended& extended, Index rank, Index& continued) const {
    if (extended.token == target_.special().eos) {
      return rank < search_.beam ? "finished" : "too late";
    }
    const bool runs = std::ranges::any_of(beam_.running(), [&](const SentenceBeam::Running& running) {
      return running.parent == extended.parent && running.token == extended.token;
    });
    const bool had_room = continued++ < search_.beam && length_ < limit_;
    return runs ? "runs" : had_room ? "hopeless" : "cut";
  }

  DecodingSettings search_;
  const Vocabulary& target_;
  Index limit_;
  SentenceBeam beam_;
  Index length_ = 0;  // tokens of the hypotheses that run
};

}  // namespace

Json search_tree(const Model<float>& model, const DecodingSettings& search, const Vocabulary& target,
                 std::span<const Id> source) {
  IncrementalDecoder<float> decoder(model);
  decoder.start({&source, 1}, search.beam);
  KeptSearch kept(search, target, std::ssize(source));
  Json steps = kept.run(decoder);
  return {{"limit", kept.limit()},
          {"steps", std::move(steps)},
          {"found", hypotheses_json(kept.beam().result(), target)},
          {"overflowed", kept.beam().overflowed()}};
}

Json hypotheses_json(std::span<const Hypothesis> hypotheses, const Vocabulary& target) {
  Json list = Json::array();
  for (const Hypothesis& hypothesis : hypotheses) {
    list.push_back({{"text", target.decode(hypothesis.ids)},
                    {"ids", hypothesis.ids},
                    {"log_probability", hypothesis.log_probability},
                    {"score", hypothesis.score},
                    {"finished", hypothesis.finished}});
  }
  return list;
}

}  // namespace glassformer

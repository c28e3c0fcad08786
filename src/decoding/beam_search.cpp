#include "glassformer/decoding/beam_search.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace glassformer {

SentenceBeam::SentenceBeam(const DecodingSettings& settings, const SpecialIds& ids, Index limit)
    : settings_(settings), eos_(ids.eos), limit_(limit), running_{{0, ids.bos, 0, {}}} {
  assert(settings.n_best >= 1 && settings.n_best <= settings.beam);
}

void SentenceBeam::advance(MatrixView<const float> logits, LikeliestTokens& likeliest) {
  assert(logits.rows() == static_cast<Index>(running_.size()));
  propose(logits, likeliest);
  const auto beam = static_cast<std::size_t>(settings_.beam);
  next_.clear();
  for (std::size_t rank = 0; rank < proposed_.size(); ++rank) {
    const Extended& extended = proposed_[rank];
    if (extended.token == eos_) {
      if (rank < beam) {
        finish(extended);
      }
    } else if (next_.size() < beam && length_ < limit_) {
      keep_running(extended);
    }
  }
  std::erase_if(next_, [this](const Running& r) { return is_hopeless(r.log_probability); });

  if (next_.empty() && kept_.empty()) {
    keep_running_as_cut_off();
  }
  std::swap(running_, next_);
  ++length_;
}

void SentenceBeam::propose(MatrixView<const float> logits, LikeliestTokens& likeliest) {
  const std::size_t count = 2 * static_cast<std::size_t>(settings_.beam);
  proposed_.clear();
  for (std::size_t h = 0; h < running_.size(); ++h) {
    const auto row = static_cast<Index>(h);
    const auto tokens = likeliest.choose(logits.row(row), count);
    if (tokens.empty()) {
      overflowed_ = true;
    }
    for (const NextToken& next : tokens) {
      proposed_.push_back({running_[h].log_probability + next.log_probability, next.id, row});
    }
  }
  const auto end = proposed_.begin() + static_cast<std::ptrdiff_t>(std::min(count, proposed_.size()));
  std::partial_sort(proposed_.begin(), end, proposed_.end(), [](const Extended& a, const Extended& b) {
    if (a.log_probability != b.log_probability) {
      return a.log_probability > b.log_probability;
    }
    return a.token != b.token ? a.token < b.token : a.parent < b.parent;
  });
  proposed_.erase(end, proposed_.end());
}

void SentenceBeam::finish(const Extended& extended) {
  const double score = length_normalised(extended.log_probability, length_ + 1, settings_.length_penalty);
  const auto place = std::upper_bound(kept_.begin(), kept_.end(), score,
                                      [](double s, const Hypothesis& kept) { return s > kept.score; });
  const bool full = static_cast<Index>(kept_.size()) == settings_.beam;
  if (full && place == kept_.end()) {
    return;
  }
  const Running& parent = running_[static_cast<std::size_t>(extended.parent)];
  kept_.insert(place, {parent.ids, extended.log_probability, score, true});
  if (full) {
    kept_.pop_back();
  }
}

void SentenceBeam::keep_running(const Extended& extended) {
  const Running& parent = running_[static_cast<std::size_t>(extended.parent)];
  next_.push_back({extended.log_probability, extended.token, extended.parent, parent.ids});
  next_.back().ids.push_back(extended.token);
}

bool SentenceBeam::is_hopeless(double log_probability) const {
  const auto finished = static_cast<Index>(kept_.size());
  if (settings_.early_stopping) {
    return finished == settings_.beam;
  }
  if (finished < settings_.n_best) {
    return false;
  }
  const double worst_asked_for = kept_[static_cast<std::size_t>(settings_.n_best) - 1].score;
  return length_normalised(log_probability, limit_ + 1, settings_.length_penalty) <= worst_asked_for;
}

/// running_ is sorted, best first. All have the same length, so kept_ stays sorted by score.
void SentenceBeam::keep_running_as_cut_off() {
  for (const Running& r : running_) {
    kept_.push_back({r.ids, r.log_probability, 0, false});
    kept_.back().score = score(kept_.back(), settings_.length_penalty);
  }
}

std::span<const Hypothesis> SentenceBeam::result() const {
  assert(running_.empty());
  return std::span(kept_).first(std::min(kept_.size(), static_cast<std::size_t>(settings_.n_best)));
}

namespace {

/// One step of every beam that is still running. Row by row, logits [R, V] belong to their running hypotheses. Returns
/// the rows of the next step in `next`.
void advance_all(std::vector<SentenceBeam>& beams, MatrixView<const float> logits, LikeliestTokens& likeliest,
                 std::vector<Extension>& next) {
  next.clear();
  Index first = 0;  // row of the sentence's first hypothesis
  for (std::size_t b = 0; b < beams.size(); ++b) {
    const auto count = static_cast<Index>(beams[b].running().size());
    if (count == 0) {
      continue;  // done
    }
    beams[b].advance(logits.middle_rows(first, count), likeliest);
    for (const SentenceBeam::Running& running : beams[b].running()) {
      next.push_back({static_cast<Index>(b), first + running.parent, running.token});
    }
    first += count;
  }
}

std::vector<Hypothesis> hypotheses_of(const SentenceBeam& beam) {
  std::vector<Hypothesis> hypotheses(beam.result().begin(), beam.result().end());
  if (beam.overflowed()) {
    for (Hypothesis& hypothesis : hypotheses) {
      hypothesis.log_probability = hypothesis.score = kOverflow;
    }
  }
  return hypotheses;
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(const DecodingSettings& settings, const SpecialIds& ids,
                                                 std::span<const std::span<const Id>> sources,
                                                 IncrementalDecoder<float>& decoder) {
  std::vector<SentenceBeam> beams;
  std::vector<Extension> rows;
  std::vector<Extension> next;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    beams.emplace_back(settings, ids, longest_translation(settings, std::ssize(sources[b])));
    rows.push_back({static_cast<Index>(b), 0, ids.bos});
  }

  LikeliestTokens likeliest(ids);
  decoder.start(sources, settings.beam);
  while (!rows.empty()) {
    advance_all(beams, decoder.step(rows), likeliest, next);
    std::swap(rows, next);
  }

  std::vector<std::vector<Hypothesis>> found;
  for (const SentenceBeam& beam : beams) {
    found.push_back(hypotheses_of(beam));
  }
  return found;
}

}  // namespace glassformer

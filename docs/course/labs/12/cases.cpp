#include "cases.hpp"

#include <algorithm>
#include <array>

#include "glassformer/decoding/beam_search.hpp"

namespace glassformer::labs {
namespace {

/// As in a Marian model, bos is also the padding: so the words begin with 2.
constexpr SpecialIds kIds = {.pad = 0, .bos = 0, .eos = 1};

struct Search {
  DecodingSettings settings;
  Index limit;

  Search(Index beam, Index n_best, double length_penalty, Index limit, bool early_stopping = false) : limit(limit) {
    settings.beam = beam;
    settings.n_best = n_best;
    settings.length_penalty = length_penalty;
    settings.early_stopping = early_stopping;
  }
};

/// The hypotheses that run after each step.
class History {
 public:
  void add(Index step, std::span<const SentenceBeam::Running> running) {
    for (const SentenceBeam::Running& r : running) {
      rows_.push_back({static_cast<double>(step), std::exp(r.log_probability), static_cast<double>(r.token),
                       static_cast<double>(r.parent)});
    }
  }
  Buffer<double> matrix() const {
    Buffer<double> all(std::ssize(rows_), 4);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::ranges::copy(rows_[i], all.row(static_cast<Index>(i)).data());
    }
    return all;
  }

 private:
  std::vector<std::array<double, 4>> rows_;
};

/// One row for each result; 0 fills the place of tokens that it does not have.
Buffer<double> matrix_of(std::span<const Hypothesis> results, Index limit) {
  Buffer<double> rows(std::ssize(results), 3 + limit);
  rows.fill(0);
  for (Index h = 0; h < rows.rows(); ++h) {
    const Hypothesis& from = results[static_cast<std::size_t>(h)];
    rows(h, 0) = from.score;
    rows(h, 1) = std::exp(from.log_probability);
    rows(h, 2) = from.finished ? 1 : 0;
    const Index tokens = std::min(limit, std::ssize(from.ids));
    for (Index t = 0; t < tokens; ++t) {
      rows(h, 3 + t) = from.ids[static_cast<std::size_t>(t)];
    }
  }
  return rows;
}

/// Searches in a language where the next token depends on the last one only: next(last, v) is the probability of v.
void search(const Search& search, const Buffer<double>& next, Index most_steps) {
  const DecodingSettings& s = search.settings;
  input("settings (beam, n_best, length_penalty, early_stopping, limit)",
        Buffer<double>{{static_cast<double>(s.beam), static_cast<double>(s.n_best), s.length_penalty,
                        s.early_stopping ? 1.0 : 0.0, static_cast<double>(search.limit)}});
  input("probability of the next token (row: the last token, column: the next; 0 is bos, 1 is eos)", next);
  SentenceBeam beam(s, kIds, search.limit);
  LikeliestTokens likeliest(kIds);
  History history;
  for (Index step = 1; step <= most_steps && !beam.running().empty(); ++step) {
    Buffer<float> logits(std::ssize(beam.running()), next.cols());
    for (Index h = 0; h < logits.rows(); ++h) {
      const Id last = beam.running()[static_cast<std::size_t>(h)].token;
      for (Index v = 0; v < next.cols(); ++v) {
        logits(h, v) = static_cast<float>(std::log(next(last, v)));
      }
    }
    beam.advance(logits, likeliest);
    history.add(step, beam.running());
  }
  output("running after each step (step, p, token, parent)", history.matrix());
  if (most_steps <= search.limit) {
    return;
  }
  const bool done = beam.running().empty();
  output("results (score, p, finished, tokens ...)",
         matrix_of(done ? beam.result() : std::span<const Hypothesis>(), search.limit));
}

void search_to_the_end(const Search& settings, const Buffer<double>& next) {
  search(settings, next, settings.limit + 1);
}

Buffer<double> random_language(RandomValues& random, Index words) {
  Buffer<double> next(words, words);
  for (Index i = 0; i < words; ++i) {
    double sum = 0;
    next(i, kIds.bos) = 0;
    for (Index v = 1; v < words; ++v) {
      sum += next(i, v) = std::exp(random.number(-3, 1));
    }
    for (Index v = 1; v < words; ++v) {
      next(i, v) /= sum;
    }
  }
  return next;
}

}  // namespace

const std::vector<Case> cases = {
    {"the first step", "the `beam` most likely extensions keep running, best first",
     [] {
       search(either<Search>({2, 2, 0, 3}, {3, 2, 0, 3}),
              either<Numbers>({{0, 0.05, 0.5, 0.3, 0.15}}, {{0, 0.1, 0.05, 0.2, 0.3, 0.35}}), 1);
     }},
    {"eos among the best", "an extension that ends in eos takes no place from those that keep running",
     [] {
       search_to_the_end({2, 2, 0, 1},
                         either<Numbers>({{0, 0.3, 0.6, 0.1}, {0, 0, 0, 0}, {0, 0.7, 0.3, 0}, {0, 0.9, 0, 0.1}},
                                         {{0, 0.55, 0.25, 0.2}, {0, 0, 0, 0}, {0, 0.6, 0.4, 0}, {0, 0.8, 0, 0.2}}));
     }},
    {"eos not among the best", "an extension that ends in eos is finished only if it is among the first `beam`",
     [] {
       search_to_the_end({2, 2, 0, 2},
                         either<Numbers>({{0, 0, 0.6, 0.4}, {0, 0, 0, 0}, {0, 0.55, 0, 0.45}, {0, 0.6, 0.4, 0}},
                                         {{0, 0, 0.3, 0.7}, {0, 0, 0, 0}, {0, 0.55, 0.45, 0}, {0, 0.3, 0.5, 0.2}}));
     }},
    {"a longer one wins", "a hypothesis keeps running while its best possible score beats those that are finished",
     [] {
       search_to_the_end(
           either<Search>({1, 1, 1, 4}, {2, 1, 1, 5}),
           either<Numbers>({{0, 0.5, 0.4, 0.1}, {0, 0, 0, 0}, {0, 0.1, 0, 0.9}, {0, 0.9, 0, 0.1}},
                           {{0, 0.4, 0.35, 0.25}, {0, 0, 0, 0}, {0, 0.05, 0.05, 0.9}, {0, 0.9, 0.08, 0.02}}));
     }},
    {"some are hopeless", "a hypothesis is dropped if its best possible score does not beat the best finished one",
     [] {
       search_to_the_end(
           either<Search>({3, 1, 1, 3}, {3, 1, 1, 2}),
           either<Numbers>(
               {{0, 0.6, 0.2, 0.15, 0.05}, {0, 0, 0, 0, 0}, {0, 0.8, 0, 0.2, 0}, {0, 0.9, 0.1, 0, 0}, {0, 1, 0, 0, 0}},
               {{0, 0.3, 0.6, 0.08, 0.02},
                {0, 0, 0, 0, 0},
                {0, 0.12, 0, 0.48, 0.4},
                {0, 0.85, 0.15, 0, 0},
                {0, 1, 0, 0, 0}}));
     }},
    {"a best possible score that is only as good",
     "a hypothesis must be able to beat the finished ones, not to equal them",
     [] {
       search_to_the_end(either<Search>({1, 1, 0, 2}, {2, 1, 0, 3}),
                         either<Numbers>({{0, 0.5, 0.5, 0}, {0, 0, 0, 0}, {0, 0.9, 0.1, 0}, {0, 0, 0, 0}},
                                         {{0, 0.25, 0.5, 0.25}, {0, 0, 0, 0}, {0, 0.3, 0, 0.7}, {0, 0.9, 0.1, 0}}));
     }},
    {"two are asked for", "a running hypothesis only has to beat the worst of the n_best best",
     [] {
       search_to_the_end(either<Search>({2, 2, 0, 3}, {3, 2, 0, 3}),
                         either<Numbers>({{0, 0.4, 0.5, 0.1}, {0, 0, 0, 0}, {0, 0.4, 0, 0.6}, {0, 0.9, 0.1, 0}},
                                         {{0, 0.35, 0.4, 0.25}, {0, 0, 0, 0}, {0, 0.25, 0, 0.75}, {0, 0.3, 0.7, 0}}));
     }},
    {"early stopping", "with early stopping, the search ends once `beam` hypotheses are finished, and not before",
     [] {
       search_to_the_end(
           either<Search>({2, 1, 1, 3, true}, {2, 1, 1, 4, true}),
           either<Numbers>({{0, 0.1, 0.5, 0.4}, {0, 0, 0, 0}, {0, 0.3, 0.6, 0.1}, {0, 0.7, 0.16, 0.14}},
                           {{0, 0.05, 0.55, 0.4}, {0, 0, 0, 0}, {0, 0.25, 0.7, 0.05}, {0, 0.8, 0.11, 0.09}}));
     }},
    {"at the limit", "a hypothesis that has `limit` tokens may only be followed by eos",
     [] {
       search_to_the_end(
           either<Search>({2, 2, 0, 1}, {2, 2, 0, 2}),
           either<Numbers>({{0, 0.1, 0.6, 0.3}, {0, 0, 0, 0}, {0, 0.4, 0.6, 0}, {0, 0.5, 0, 0.5}},
                           {{0, 0.05, 0.45, 0.5}, {0, 0, 0, 0}, {0, 0.1, 0.55, 0.35}, {0, 0.52, 0, 0.48}}));
     }},
    {"cut off", "if nothing is finished at the limit, the running hypotheses become the results",
     [] {
       search_to_the_end(either<Search>({2, 2, 1, 1}, {2, 1, 1, 2}),
                         either<Numbers>({{0, 0, 0.6, 0.4}, {0, 0, 0, 0}, {0, 0.1, 0.9, 0}, {0, 0.1, 0, 0.9}},
                                         {{0, 0, 0.3, 0.7}, {0, 0, 0, 0}, {0, 0.05, 0.95, 0}, {0, 0.02, 0.08, 0.9}}));
     }},
    {"a random language", "all rules must hold at once",
     [] {
       RandomValues random = random_values(9);
       search_to_the_end(either<Search>({3, 1, 1, 4}, {4, 2, 0.6, 5}), random_language(random, either<Index>(5, 6)));
     }},
};

}  // namespace glassformer::labs

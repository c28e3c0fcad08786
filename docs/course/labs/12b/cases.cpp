#include "cases.hpp"

#include <limits>

#include "constrained_search.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();  // the logit of a token that cannot follow
constexpr Id kBos = 0, kEos = 1;

/// Which tokens would repeat an n-gram?
void repeats(const std::vector<Id>& ids, Index n) {
  IdMatrix shown(1, std::ssize(ids));
  std::ranges::copy(ids, shown.row(0).begin());
  input("ids", shown);
  input("n", static_cast<double>(n));
  Buffer<double> found(1, 9);
  for (Index v = 0; v < found.cols(); ++v) {
    found(0, v) = repeats_ngram(ids, static_cast<Id>(v), n) ? 1 : 0;
  }
  output("would the token 0, 1, 2, ... repeat an n-gram?", found);
}

void show(const Constraints& constraints) {
  if (constraints.no_repeat_ngram > 0) {
    input("no_repeat_ngram", static_cast<double>(constraints.no_repeat_ngram));
  }
  if (!constraints.forbidden.empty()) {
    IdMatrix forbidden(1, std::ssize(constraints.forbidden));
    std::ranges::copy(constraints.forbidden, forbidden.row(0).begin());
    input("forbidden", forbidden);
  }
  input("eos", constraints.eos);
  input("limit", static_cast<double>(constraints.limit));
}

void best(const Constraints& constraints, const Buffer<double>& logits, const std::vector<Id>& ids) {
  show(constraints);
  IdMatrix shown(1, std::ssize(ids));
  std::ranges::copy(ids, shown.row(0).begin());
  input("ids", shown);
  input("logits", logits);
  output("the best token (-1: none)", best_allowed(constraints, logits.row(0), ids));
}

/// A language in which the next token depends on the last one only: row `last` has its logits.
void search(const Constraints& constraints, const Buffer<double>& next) {
  show(constraints);
  input("logits of the next token (row: the last token; 0 is bos)", next);
  Index calls = 0;
  const Translation found = constrained_greedy_search(constraints, [&](std::span<const Id> ids) {
    if (++calls > constraints.limit + 1) {
      throw std::runtime_error("the search goes on after `limit` tokens");
    }
    return next.row(ids.empty() ? kBos : ids.back());
  });
  IdMatrix ids(1, std::ssize(found.ids));
  std::ranges::copy(found.ids, ids.row(0).begin());
  output("ids", ids);
  output("finished", found.finished ? 1 : 0);
}

using Ids = std::vector<Id>;

}  // namespace

const std::vector<Case> cases = {
    {"2-grams", "a token repeats a 2-gram if the last token and it occur in ids, one after the other",
     [] {
       repeats(either<Ids>({5, 6, 5}, {3, 8, 2, 3}), 2);
     }},
    {"2-grams that overlap", "the n-grams may overlap",
     [] {
       repeats(either<Ids>({5, 5}, {4, 7, 7}), 2);
     }},
    {"2-grams: the last token has several successors", "every n-gram of ids counts, the first and the last, too",
     [] {
       repeats(either<Ids>({2, 5, 6, 5, 7, 5, 3, 5}, {7, 4, 4, 8, 4, 2, 4}), 2);
     }},
    {"3-grams", "all n tokens must agree, in their order",
     [] {
       repeats(either<Ids>({2, 3, 4, 5, 3, 2, 6, 2, 7, 4, 8, 2, 3}, {5, 2, 7, 2, 5, 8, 3, 2, 6, 5, 2}), 3);
     }},
    {"4-grams", "all n tokens must agree, in their order, whatever n is",
     [] {
       repeats(either<Ids>({2, 3, 4, 5, 3, 3, 4, 6, 2, 3, 4}, {7, 7, 7, 8, 2, 7, 7, 3, 7, 7, 7}), 4);
     }},
    {"1-grams", "every token that occurs in ids would repeat",
     [] {
       repeats(either<Ids>({5, 3, 8}, {2, 0, 7, 4}), 1);
     }},
    {"n is 0", "nothing is forbidden",
     [] {
       repeats(either<Ids>({5, 5, 5}, {2, 3, 2, 3}), 0);
     }},
    {"ids that are shorter than n", "where there is no n-gram yet, none is repeated",
     [] {
       repeats({}, either<Index>(1, 2));
       repeats(either<Ids>({5}, {6}), 2);
       repeats(either<Ids>({5, 5}, {6, 6, 6}), either<Index>(3, 5));
     }},
    {"the best token", "it has the largest logit",
     [] {
       best({.limit = 9}, either<Numbers>({{0, 1, 4, 2}}, {{1, 0, 2, 3, 6, 5}}), {});
     }},
    {"equal logits", "the smallest of the tokens wins",
     [] {
       best({.limit = 9}, either<Numbers>({{0, 1, 3, 3}}, {{1, 0, 2, 5, 4, 5}}), {});
     }},
    {"only negative logits", "the largest logit may be far below 0",
     [] {
       best({.limit = 9}, either<Numbers>({{-2, -3, -9, -4}}, {{-2000, -2500, -2400, -2600, -3000}}), {});
     }},
    {"forbidden tokens", "the best of the others wins",
     [] {
       best({.limit = 9, .forbidden = either<Ids>({4, 2}, {3, 1, 5})},
            either<Numbers>({{0, 1, 6, 3, 5}}, {{1, 4, 2, 6, 3, 7}}), {});
     }},
    {"a token that would repeat a 2-gram", "the best of the others wins",
     [] {
       best({.limit = 9, .no_repeat_ngram = 2}, either<Numbers>({{0, 1, 2, 3, 4}}, {{1, 0, 2, 6, 5, 3}}),
            either<Ids>({3, 4, 3}, {5, 3, 2, 5}));
     }},
    {"at the limit", "only eos may follow, even if its logit is small",
     [] {
       best({.eos = either<Id>(3, 2), .limit = either<Index>(2, 3)},
            either<Numbers>({{0, 2, 3, -5}}, {{1, 7, -2, 4, 0}}), either<Ids>({2, 1}, {4, 1, 3}));
     }},
    {"eos has the logit -infinity at the limit", "its probability is 0, so no token may follow",
     [] {
       best({.limit = either<Index>(2, 3)}, either<Numbers>({{0, kNever, 3, 2}}, {{1, kNever, 4, 7, 0}}),
            either<Ids>({2, 3}, {4, 2, 3}));
     }},
    {"eos is forbidden at the limit", "then no token may follow",
     [] {
       best({.limit = either<Index>(2, 3), .forbidden = {kEos}}, either<Numbers>({{0, 5, 3, 2}}, {{1, 9, 4, 7, 0}}),
            either<Ids>({2, 3}, {4, 2, 3}));
     }},
    {"only -infinity is left", "a token of probability 0 is never chosen",
     [] {
       best({.limit = 9, .forbidden = either<Ids>({2}, {3, 4})},
            either<Numbers>({{kNever, kNever, 3, kNever}}, {{kNever, kNever, kNever, 2, 1}}), {});
     }},
    {"search: without constraints", "the search takes the best token until this is eos",
     [] {
       search({.limit = either<Index>(9, 8)},
              either<Numbers>({{kNever, 0, 3, 1}, {0, 0, 0, 0}, {kNever, 1, 0, 2}, {kNever, 4, 1, 3}},
                              {{kNever, 0, 3, 4}, {0, 0, 0, 0}, {kNever, 5, 0, 2}, {kNever, 2, 4, 3}}));
     }},
    {"search: no 2-gram twice", "if the best token would repeat a 2-gram, the search takes the next best one",
     [] {
       search({.limit = 9, .no_repeat_ngram = 2},
              either<Numbers>({{kNever, 0, 3, 1}, {0, 0, 0, 0}, {kNever, 2, 1, 4}, {kNever, 0, 4, 1}},
                              {{kNever, 0, 1, 3}, {0, 0, 0, 0}, {kNever, 1, 2, 4}, {kNever, 1, 4, 2}}));
     }},
    {"search: eos comes first", "a translation may be empty",
     [] {
       search({.limit = either<Index>(3, 4)},
              either<Numbers>({{kNever, 2, 1}, {0, 0, 0}, {0, 0, 0}},
                              {{kNever, 9, 1, 7}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
     }},
    {"search: at the limit", "`limit` tokens may be followed by eos, and by nothing else",
     [] {
       search({.limit = either<Index>(3, 5)},
              either<Numbers>({{kNever, 0, 3}, {0, 0, 0}, {kNever, 1, 2}},
                              {{kNever, 0, 3, 1}, {0, 0, 0, 0}, {kNever, 0, 1, 2}, {kNever, 0, 4, 1}}));
     }},
    {"search: cut off", "if no token may follow, the translation is not finished",
     [] {
       search({.limit = either<Index>(9, 7), .no_repeat_ngram = 1, .forbidden = {kEos}},
              either<Numbers>({{kNever, 0, 3, 1}, {0, 0, 0, 0}, {kNever, 1, 5, 2}, {kNever, 4, 1, 3}},
                              {{kNever, 0, 3, 1, 4},
                               {0, 0, 0, 0, 0},
                               {kNever, 1, 5, 2, 0},
                               {kNever, 4, 1, 3, 2},
                               {kNever, 1, 2, 3, 4}}));
     }},
    {"search: cut off at the limit", "a translation that eos does not follow is not finished",
     [] {
       search({.limit = either<Index>(2, 3)},
              either<Numbers>({{kNever, 0, 3}, {0, 0, 0}, {kNever, kNever, 2}},
                              {{kNever, 0, 3, 1}, {0, 0, 0, 0}, {kNever, kNever, 1, 2}, {kNever, kNever, 4, 1}}));
     }},
    {"search: a random language", "all rules must hold at once",
     [] {
       RandomValues random = random_values(12);
       search({.limit = either<Index>(20, 25), .no_repeat_ngram = either<Index>(2, 3), .forbidden = {kBos, 3}},
              round_numbers(random, 6, 6));
     }},
};

}  // namespace glassformer::labs

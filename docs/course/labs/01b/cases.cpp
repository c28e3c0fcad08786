#include "cases.hpp"

#include "wait_k.hpp"

namespace glassformer::labs {
namespace {

void wait_k(const IdMatrix& source, Index queries, Index k, Id pad = 0, const Mask& reused = {}) {
  input("source", source);
  input("pad", pad);
  input("queries", static_cast<double>(queries));
  input("k", static_cast<double>(k));
  output("wait_k_mask", wait_k_mask(source, pad, queries, k, reused));
}

}  // namespace

const std::vector<Case> cases = {
    {"k = 1", "query 0 sees one token, and each query sees one token more than the query before it",
     [] {
       wait_k(either<IdMatrix>({{5, 6, 7, 2}}, {{4, 8, 9, 6, 2}}), either<Index>(4, 5), 1);
     }},
    {"a larger k", "query t, counted from 0, sees the first t + k tokens",
     [] {
       wait_k(either<IdMatrix>({{5, 6, 7, 8, 2}}, {{4, 8, 9, 6, 7, 2}}), 3, either<Index>(2, 3));
     }},
    {"more queries than tokens", "the last queries see the whole source",
     [] {
       wait_k(either<IdMatrix>({{5, 6, 2}}, {{4, 2}}), either<Index>(5, 4), 1);
     }},
    {"k is larger than the source", "every query sees the whole source",
     [] {
       wait_k(either<IdMatrix>({{5, 2}}, {{7, 4, 2}}), either<Index>(3, 2), either<Index>(4, 9));
     }},
    {"padding", "padding is blocked, even if fewer than t + k tokens come before it",
     [] {
       wait_k(either<IdMatrix>({{5, 6, 2, 0, 0}}, {{4, 2, 0, 0}}), 4, either<Index>(1, 2));
     }},
    {"two sentences, and another id of padding", "each sentence has its own rows, and only the id `pad` is padding",
     [] {
       wait_k(either<IdMatrix>({{5, 0, 6, 2}, {7, 2, 9, 9}}, {{6, 2, 8}, {0, 5, 2}, {2, 8, 8}}), either<Index>(3, 2), 1,
              either<Id>(9, 8));
     }},
    {"k = 0", "query 0 has read no token, so it sees nothing",
     [] {
       wait_k(either<IdMatrix>({{5, 6, 2}}, {{7, 4, 6, 2}}), 3, 0);
     }},
    {"padding comes first", "padding is not a token, so the first t + k tokens are counted without it",
     [] {
       wait_k(either<IdMatrix>({{0, 0, 5, 6, 2}, {0, 7, 8, 6, 2}}, {{0, 6, 0, 7, 2}, {0, 0, 0, 5, 2}}), 3, 1);
     }},
    {"a sentence of padding alone", "where there are no tokens, a query sees nothing",
     [] {
       wait_k(either<IdMatrix>({{0, 0}, {5, 2}}, {{6, 2, 0}, {0, 0, 0}}), 2, either<Index>(1, 2));
     }},
    {"one query", "a mask has a row for each query, even if there is only one",
     [] {
       wait_k(either<IdMatrix>({{5, 6, 2}, {7, 2, 0}}, {{5, 6, 7, 2}, {4, 2, 0, 0}}), 1, either<Index>(2, 1));
     }},
    {"the memory of an older mask", "nothing of the older mask's shape or numbers is left",
     [] {
       const auto reused = either<Mask>(mask_of({{1, 1, 1}, {1, 1, 1}}), {2, 1, {{1, 1, 1, 1}, {1, 1, 1, 1}}});
       input("reused", reused);
       wait_k(either<IdMatrix>({{5, 2}}, {{6, 5, 2}}), 2, 1, 0, reused);
     }},
};

}  // namespace glassformer::labs

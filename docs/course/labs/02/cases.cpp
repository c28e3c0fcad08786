#include "cases.hpp"

#include "glassformer/batching/batch.hpp"

namespace glassformer::labs {
namespace {

using Words = std::vector<Id>;

struct Pair {
  Words source, target;
};
using Pairs = std::vector<Pair>;
using Sentences = std::vector<Index>;

/// Shows a few numbers as a matrix with one row.
template <class Numbers>
IdMatrix one_row(const Numbers& numbers) {
  IdMatrix row(1, static_cast<Index>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    row(0, static_cast<Index>(i)) = static_cast<Id>(numbers[i]);
  }
  return row;
}

constexpr SpecialIds kUsual = {.pad = 0, .bos = 1, .eos = 2, .unk = 3};

/// Sentence pairs in the flat form that make_batch reads.
struct Text {
  std::vector<Id> ids;
  std::vector<std::int64_t> offsets = {0};
  SpecialIds source_special, target_special;

  Text(const Pairs& all, SpecialIds source, SpecialIds target) : source_special(source), target_special(target) {
    for (const Pair& pair : all) {
      for (const Words& words : {pair.source, pair.target}) {
        ids.insert(ids.end(), words.begin(), words.end());
        offsets.push_back(std::ssize(ids));
      }
    }
  }
  SentencePairs pairs() const { return {ids, offsets, source_special, target_special}; }
};

void show(const Pairs& all, SpecialIds source_special, SpecialIds target_special) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pair = " of pair " + std::to_string(i);
    input("source" + pair, one_row(all[i].source));
    input("target" + pair, one_row(all[i].target));
  }
  input("pad, bos, eos of the source", one_row(Words{source_special.pad, source_special.bos, source_special.eos}));
  input("pad, bos, eos of the target", one_row(Words{target_special.pad, target_special.bos, target_special.eos}));
}

void show(const Batch& batch) {
  output("source", batch.source);
  output("target_input", batch.target_input);
  output("target_output", batch.target_output);
  output("batch.sentences", one_row(batch.sentences));
}

/// A batch of some of these pairs, in this order.
void batch_of(const Pairs& all, const Sentences& sentences, SpecialIds source_special = kUsual,
              SpecialIds target_special = kUsual) {
  const Text text(all, source_special, target_special);
  show(all, source_special, target_special);
  input("sentences", one_row(sentences));
  show(make_batch(text.pairs(), sentences));
}

}  // namespace

const std::vector<Case> cases = {
    {"one word each", "the decoder reads bos and the word; it must predict the word and eos",
     [] {
       batch_of(either<Pairs>({{{5}, {6}}}, {{{8}, {9}}}), {0});
     }},
    {"several words", "the words of target_input are those of target_output, one position later",
     [] {
       batch_of(either<Pairs>({{{4, 5}, {6, 7, 8}}}, {{{7, 5, 4}, {8, 6, 5, 9, 9}}}), {0});
     }},
    {"three pairs", "shorter sentences are padded after their last token, source and target each to its own length",
     [] {
       batch_of(either<Pairs>({{{4, 5}, {8, 9}}, {{5, 6, 7, 8}, {6}}, {{5}, {7, 8, 9}}},
                              {{{9, 5}, {4, 8}}, {{6, 7, 8}, {7}}, {{4}, {9, 6, 5, 7}}}),
                {0, 1, 2});
     }},
    {"an empty target", "without words, the decoder reads bos and must predict eos",
     [] {
       batch_of(either<Pairs>({{{4, 5}, {6, 7}}, {{4}, {}}}, {{{7}, {}}, {{4, 6, 8}, {9}}}), {0, 1});
     }},
    {"other special ids", "each side has its own pad, bos and eos",
     [] {
       batch_of(either<Pairs>({{{4, 5}, {6}}, {{5}, {6, 7}}}, {{{9}, {6, 8, 7}}, {{5, 8, 4}, {}}}), {0, 1},
                either<SpecialIds>({.pad = 10, .bos = 11, .eos = 12, .unk = 13},
                                   {.pad = 32, .bos = 31, .eos = 30, .unk = 33}),
                either<SpecialIds>({.pad = 23, .bos = 22, .eos = 21, .unk = 20},
                                   {.pad = 41, .bos = 42, .eos = 43, .unk = 40}));
     }},
    {"some of the pairs", "row i holds the pair sentences[i], and only the pairs of the batch decide how wide it is",
     [] {
       batch_of(either<Pairs>({{{4}, {5}}, {{6, 7}, {8, 9}}, {{4, 5, 6, 7, 8}, {9, 9, 9, 9}}, {{8}, {7}}},
                              {{{8, 9}, {7, 4}}, {{6}, {5, 5}}, {{9, 8, 7, 6}, {5, 6, 7, 8, 9}}, {{4, 5}, {6}}}),
                {3, 1});
     }},
    {"the memory of an older batch", "nothing of the older batch is left",
     [] {
       const auto all = either<Pairs>({{{9, 8, 7}, {9, 8, 7}}, {{9, 8}, {9, 8}}, {{4, 5}, {6}}, {{4}, {6, 7}}},
                                      {{{8, 9}, {4, 7, 5}}, {{6, 8, 9}, {7}}, {{5}, {8, 8}}, {{6, 7}, {4}}});
       const Text text(all, kUsual, kUsual);
       show(all, kUsual, kUsual);
       const Sentences older = {0, 1}, sentences = either<Sentences>({2, 3}, {3, 2});
       input("sentences of the older batch", one_row(older));
       input("sentences", one_row(sentences));
       show(make_batch(text.pairs(), sentences, make_batch(text.pairs(), older)));
     }},
    {"an empty batch", "a batch of no pairs has no rows",
     [] {
       batch_of(either<Pairs>({{{4, 5}, {6, 7, 8}}}, {{{5}, {8, 7}}, {{6}, {4}}}), {});
     }},
};

}  // namespace glassformer::labs

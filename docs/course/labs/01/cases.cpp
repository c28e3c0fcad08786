#include "cases.hpp"

#include <utility>

namespace glassformer::labs {
namespace {

void padding(const IdMatrix& ids, Id pad) {
  input("ids", ids);
  input("pad", pad);
  output("padding_mask", padding_mask(ids, pad));
}

void prefix(Index length, Index prefix) {
  input("length", static_cast<double>(length));
  input("prefix", static_cast<double>(prefix));
  output("prefix_mask", prefix_mask(length, prefix));
}

void combined(const Mask& a, const Mask& b) {
  input("a", a);
  input("b", b);
  output("combined_mask of a and b", combined_mask(a, b));
}

void all_masks(const IdMatrix& source, const IdMatrix& target_input, const SpecialIdPair& special,
               const MaskSettings& on = {}) {
  input("source", source);
  input("target_input", target_input);
  input("special.source.pad", special.source.pad);
  input("special.target.pad", special.target.pad);
  for (const auto& [name, is_on] : {std::pair{"on.encoder_padding", on.encoder_padding},
                                    {"on.look_ahead", on.look_ahead},
                                    {"on.target_padding", on.target_padding},
                                    {"on.cross_padding", on.cross_padding}}) {
    if (!is_on) {
      input(name, 0);
    }
  }
  const TransformerMasks masks = make_masks(source, target_input, special, on);
  output("encoder_padding", masks.encoder_padding);
  output("target_padding", masks.target_padding);
  output("look_ahead", masks.look_ahead);
  output("decoder_combined", masks.decoder_combined);
  output("cross_padding", masks.cross_padding);
}

/// A batch in which each side has its own id of padding.
void batch(const MaskSettings& on = {}) {
  all_masks(either<IdMatrix>({{5, 6, 2}, {7, 2, 0}}, {{8, 3, 6, 2, 4}, {4, 2, 9, 9, 9}, {5, 4, 8, 2, 9}}),
            either<IdMatrix>({{1, 5, 8, 9}, {1, 6, 3, 3}}, {{1, 5, 5}, {1, 9, 3}, {3, 3, 3}}),
            either<SpecialIdPair>({{.pad = 0}, {.pad = 3}}, {{.pad = 9}, {.pad = 3}}), on);
}

}  // namespace

const std::vector<Case> cases = {
    {"one sentence with padding", "padding_mask has one row for all queries of a sentence; it blocks the padded keys",
     [] {
       padding(either<IdMatrix>({{5, 2, 0}}, {{7, 4, 2, 0, 0}}), 0);
     }},
    {"two sentences, and another id of padding", "only the id `pad` is padding, and each sentence has its own row",
     [] {
       padding(either<IdMatrix>({{5, 0, 9, 9}, {9, 6, 7, 2}}, {{6, 1, 2}, {0, 4, 4}, {1, 4, 9}}), either<Id>(9, 4));
     }},
    {"no prefix", "a query sees its own key and all keys before it, and no other",
     [] { prefix(either<Index>(3, 4), 0); }},
    {"a prefix of two keys", "every query sees the keys of the prefix; after them, no query sees its future",
     [] { prefix(either<Index>(4, 6), 2); }},
    {"a prefix of all keys", "every query sees the keys of the prefix",
     [] {
       const Index length = either<Index>(3, 4);
       prefix(length, length);
     }},
    {"one sentence, padding and look-ahead", "combined_mask blocks what either mask blocks",
     [] {
       combined(either<Mask>(mask_of({{0, 0, 1}}), mask_of({{0, 1, 0, 1}})),
                either<Mask>(mask_of({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}), mask_of({{0, 1, 1, 1}, {0, 0, 1, 0}})));
     }},
    {"two sentences, look-ahead and padding",
     "a mask of one sentence applies to all sentences, and a single row applies to all queries",
     [] {
       combined(either<Mask>(mask_of({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}), mask_of({{0, 1, 1}, {0, 0, 0}})),
                either<Mask>({2, 1, {{0, 0, 1}, {1, 0, 0}}}, {3, 1, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}));
     }},
    {"two sentences, and a row for each query in both masks", "row mask.row(sentence, query) belongs to this query",
     [] {
       combined(either<Mask>({2, 2, {{0, 1}, {0, 0}, {1, 1}, {0, 0}}},
                             {2, 3, {{0, 1}, {0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 0}}}),
                either<Mask>({2, 2, {{0, 0}, {1, 0}, {0, 0}, {0, 1}}},
                             {2, 3, {{0, 0}, {1, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 0}}}));
     }},
    {"a batch", "keys are source tokens in the encoder and in cross-attention, and target tokens in the decoder",
     [] { batch(); }},
    {"a batch, look_ahead and cross_padding off", "a mask that is off blocks nothing, and all others stay as they were",
     [] { batch({.look_ahead = false, .cross_padding = false}); }},
    {"a batch, encoder_padding and target_padding off",
     "a mask that is off blocks nothing, and all others stay as they were",
     [] { batch({.encoder_padding = false, .target_padding = false}); }},
    {"the memory of an older mask", "nothing of the older mask's shape or numbers is left",
     [] {
       const Mask reused = either<Mask>(mask_of({{1, 1, 1}, {1, 1, 1}}), {2, 2, {{1, 1}, {1, 1}, {1, 1}, {1, 1}}});
       const IdMatrix ids = either<IdMatrix>({{5, 0}}, {{6, 0}});
       const Index length = either<Index>(2, 1);
       input("ids", ids);
       input("reused", reused);
       output("padding_mask", padding_mask(ids, 0, reused));
       output("prefix_mask of length " + std::to_string(length), prefix_mask(length, 0, reused));
       output("combined_mask of both",
              combined_mask(mask_of({{0, 1}}), either<Mask>(mask_of({{0, 1}, {0, 0}}), mask_of({{0, 0}})), reused));
     }},
};

}  // namespace glassformer::labs

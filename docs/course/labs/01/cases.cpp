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

const IdMatrix kSource{{5, 6, 2}, {7, 2, 0}}, kTargetInput{{1, 5, 8, 9}, {1, 6, 3, 3}};  // padding: 0 and 3
constexpr SpecialIdPair kSpecial{{.pad = 0}, {.pad = 3}};

}  // namespace

const std::vector<Case> cases = {
    {"one sentence with padding", "padding_mask has one row for all queries of a sentence; it blocks the padded keys",
     [] {
       padding({{5, 2, 0}}, 0);
     }},
    {"two sentences, and another id of padding", "only the id `pad` is padding, and each sentence has its own row",
     [] {
       padding({{5, 0, 9, 9}, {9, 6, 7, 2}}, 9);
     }},
    {"no prefix", "a query sees its own key and all keys before it, and no other", [] { prefix(3, 0); }},
    {"a prefix of two keys", "every query sees the keys of the prefix; after them, no query sees its future",
     [] { prefix(4, 2); }},
    {"one sentence, padding and look-ahead", "combined_mask blocks what either mask blocks",
     [] {
       combined(mask_of({{0, 0, 1}}), mask_of({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}));
     }},
    {"two sentences, look-ahead and padding",
     "a mask of one sentence applies to all sentences, and a single row applies to all queries",
     [] {
       combined(mask_of({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}), {2, 1, {{0, 0, 1}, {1, 0, 0}}});
     }},
    {"a batch", "keys are source tokens in the encoder and in cross-attention, and target tokens in the decoder",
     [] { all_masks(kSource, kTargetInput, kSpecial); }},
    {"a batch, look_ahead and cross_padding off", "a mask that is off blocks nothing, and all others stay as they were",
     [] { all_masks(kSource, kTargetInput, kSpecial, {.look_ahead = false, .cross_padding = false}); }},
    {"a batch, encoder_padding and target_padding off",
     "a mask that is off blocks nothing, and all others stay as they were",
     [] { all_masks(kSource, kTargetInput, kSpecial, {.encoder_padding = false, .target_padding = false}); }},
    {"the memory of an older mask", "nothing of the older mask's shape or numbers is left",
     [] {
       Mask reused = mask_of({{1, 1, 1}, {1, 1, 1}});
       input("ids", IdMatrix{{5, 0}});
       input("reused", reused);
       output("padding_mask", padding_mask({{5, 0}}, 0, reused));
       output("prefix_mask of length 2", prefix_mask(2, 0, reused));
       output("combined_mask of both", combined_mask(mask_of({{0, 1}}), mask_of({{0, 1}, {0, 0}}), reused));
     }},
};

}  // namespace glassformer::labs

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/page/mask_variants.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

constexpr Id kNoWord = 0;

struct Padded {
  IdMatrix source{{5, 4, 8, 2}, {7, 2, 0, 0}};
  IdMatrix target{{1, 5, 6, 4, 3, 7}, {1, 3, 4, 0, 0, 0}};
};

std::vector<MaskVariant> variants_of(const MaskSettings& masks, const Padded& ids) {
  return mask_variants(masks, {{.pad = kNoWord}, {.pad = kNoWord}}, ids.source, ids.target);
}

const MaskVariant& named(const std::vector<MaskVariant>& variants, const std::string& name) {
  const auto found = std::ranges::find(variants, name, &MaskVariant::name);
  REQUIRE(found != variants.end());
  return *found;
}

/// Whether a mask of B sentences, T queries and S keys blocks exactly the cells for which `expected(b, t, s)` is true.
bool blocks(const Mask& mask, Index B, Index T, Index S, const auto& expected) {
  if (mask.keys() != S) {
    return false;
  }
  for (Index b = 0; b < B; ++b) {
    for (Index t = 0; t < T; ++t) {
      for (Index s = 0; s < S; ++s) {
        if (mask.is_blocked(b, t, s) != expected(b, t, s)) {
          return false;
        }
      }
    }
  }
  return true;
}

using Names = std::vector<std::string>;

/// The names of the reasons for which a variant should block a cell.
class ExpectedReasons {
 public:
  ExpectedReasons(const Padded& ids, std::string variant, const MaskSettings& own)
      : ids_(ids), variant_(std::move(variant)), on_(own) {
    if (is("all_masks")) {
      on_ = {};
    }
    if (is("no_look_ahead")) {
      on_.look_ahead = false;
    }
    if (is("no_padding_masks")) {
      on_.encoder_padding = on_.target_padding = on_.cross_padding = false;
    }
    if (is("no_cross_mask")) {
      on_.cross_padding = false;
    }
    late_ = is("next_word_visible") ? 1 : is("future_of_three") ? 3 : 0;
  }

  Names encoder(Index b, Index t, Index s) const {
    return names(on_.encoder_padding && is_padding(ids_.source, b, s), false, is_padding(ids_.source, b, t));
  }
  Names decoder(Index b, Index t, Index s) const {
    return names(on_.target_padding && is_padding(ids_.target, b, s), (on_.look_ahead || late_ > 0) && s > t + late_,
                 is_padding(ids_.target, b, t));
  }
  Names cross(Index b, Index s) const {
    return names(on_.cross_padding && is_padding(ids_.source, b, s), false, false);
  }

 private:
  static bool is_padding(const IdMatrix& ids, Index b, Index t) { return ids(b, t) == kNoWord; }
  bool is(const char* name) const { return variant_ == name; }

  /// The reasons that apply, in the order of the variant's list. The inverted variant has only one.
  Names names(bool padding, bool future, bool padded_query) const {
    Names all;
    if (padding) {
      all.emplace_back("padding");
    }
    if (future) {
      all.emplace_back("future");
    }
    if (is("padded_queries") && padded_query) {
      all.emplace_back("padded_query");
    }
    if (is("inverted")) {
      return all.empty() ? Names{"inverted"} : Names{};
    }
    return all;
  }

  const Padded& ids_;
  std::string variant_;
  MaskSettings on_;
  Index late_ = 0;
};

/// Checks that a mask of two sentences, T queries and S keys blocks exactly the cells that have reasons, and that these
/// are `expected(b, t, s)`.
void check_reasons(const std::vector<BlockReason>& reasons, const Mask& mask, Index T, Index S, const auto& expected) {
  for (Index b = 0; b < 2; ++b) {
    for (Index t = 0; t < T; ++t) {
      for (Index s = 0; s < S; ++s) {
        Names found;
        for (const BlockReason& reason : reasons) {
          if (reason.mask.is_blocked(b, t, s)) {
            found.push_back(reason.name);
          }
        }
        CHECK(found == expected(b, t, s));
        CHECK(mask.is_blocked(b, t, s) != found.empty());
      }
    }
  }
}

}  // namespace

TEST_CASE("The first variant has the model's own masks, and each variant has a name, a title and a text", "[page]") {
  const Padded ids;
  for (const bool look_ahead : {true, false}) {
    const MaskSettings masks{.look_ahead = look_ahead, .cross_padding = look_ahead};
    const auto variants = variants_of(masks, ids);
    const TransformerMasks own = make_masks(ids.source, ids.target, {{.pad = kNoWord}, {.pad = kNoWord}}, masks);
    CHECK(variants.front().name == "right");
    CHECK(variants.front().changed.empty());
    CHECK(same_bits(variants.front().masks.encoder_padding.blocked, own.encoder_padding.blocked));
    CHECK(same_bits(variants.front().masks.decoder_combined.blocked, own.decoder_combined.blocked));
    CHECK(same_bits(variants.front().masks.cross_padding.blocked, own.cross_padding.blocked));
    std::set<std::string> names;
    std::set<std::string> titles;
    for (const MaskVariant& variant : variants) {
      names.insert(variant.name);
      titles.insert(variant.title);
      CHECK_FALSE(variant.says.empty());
    }
    std::set<std::string> expected{"right",          "no_look_ahead",     "no_padding_masks",
                                   "no_cross_mask",  "next_word_visible", "future_of_three",
                                   "padded_queries", "inverted"};
    if (!look_ahead) {
      expected.insert("all_masks");
    }
    CHECK(names == expected);
    CHECK(titles.size() == names.size());
  }
}

TEST_CASE("Each variant blocks what its title says, and lists the masks that differ", "[page]") {
  const Padded ids;
  const auto variants = variants_of({}, ids);
  const auto source_pad = [&](Index b, Index, Index s) { return ids.source(b, s) == kNoWord; };
  const auto target_pad = [&](Index b, Index, Index s) { return ids.target(b, s) == kNoWord; };
  const auto nothing = [](Index, Index, Index) { return false; };
  const auto future = [&](Index places) {
    return [&, places](Index b, Index t, Index s) { return s > t + places || target_pad(b, t, s); };
  };
  const auto decoder = [&](const std::string& name) -> const Mask& {
    return named(variants, name).masks.decoder_combined;
  };
  const auto changed = [&](const std::string& name) { return named(variants, name).changed; };

  CHECK(blocks(decoder("right"), 2, 6, 6, future(0)));
  CHECK(blocks(decoder("no_look_ahead"), 2, 6, 6, target_pad));
  CHECK(changed("no_look_ahead") == Names{"decoder_combined"});

  const TransformerMasks& no_padding = named(variants, "no_padding_masks").masks;
  CHECK(blocks(no_padding.encoder_padding, 2, 4, 4, nothing));
  CHECK(blocks(no_padding.cross_padding, 2, 6, 4, nothing));
  CHECK(blocks(no_padding.decoder_combined, 2, 6, 6, [](Index, Index t, Index s) { return s > t; }));
  CHECK(changed("no_padding_masks") == Names{"encoder_padding", "decoder_combined", "cross_padding"});

  const TransformerMasks& no_cross = named(variants, "no_cross_mask").masks;
  CHECK(blocks(no_cross.cross_padding, 2, 6, 4, nothing));
  CHECK(blocks(no_cross.encoder_padding, 2, 4, 4, source_pad));
  CHECK(changed("no_cross_mask") == Names{"cross_padding"});

  CHECK(blocks(decoder("next_word_visible"), 2, 6, 6, future(1)));
  CHECK(blocks(decoder("future_of_three"), 2, 6, 6, future(3)));
  CHECK(changed("future_of_three") == Names{"decoder_combined"});

  const TransformerMasks& queries = named(variants, "padded_queries").masks;
  CHECK(blocks(queries.encoder_padding, 2, 4, 4,
               [&](Index b, Index t, Index s) { return source_pad(b, t, s) || source_pad(b, s, t); }));
  CHECK(blocks(queries.decoder_combined, 2, 6, 6,
               [&](Index b, Index t, Index s) { return s > t || target_pad(b, t, s) || target_pad(b, s, t); }));
  CHECK(changed("padded_queries") == Names{"encoder_padding", "decoder_combined"});

  const TransformerMasks& inverted = named(variants, "inverted").masks;
  CHECK(blocks(inverted.decoder_combined, 2, 6, 6,
               [&](Index b, Index t, Index s) { return !(s > t || target_pad(b, t, s)); }));
  CHECK(blocks(inverted.cross_padding, 2, 6, 4, [&](Index b, Index t, Index s) { return !source_pad(b, t, s); }));
}

TEST_CASE("The reasons of every variant explain what its masks block, whichever masks the model has", "[page]") {
  const Padded ids;
  constexpr bool MaskSettings::*kSwitches[] = {&MaskSettings::encoder_padding, &MaskSettings::look_ahead,
                                               &MaskSettings::target_padding, &MaskSettings::cross_padding};
  for (const auto first : kSwitches) {
    for (const auto second : kSwitches) {  // one mask off, or two
      MaskSettings masks;
      masks.*first = masks.*second = false;
      for (const MaskVariant& variant : variants_of(masks, ids)) {
        CAPTURE(variant.name, masks_off(masks));
        const ExpectedReasons expected{ids, variant.name, masks};
        check_reasons(variant.reasons.encoder_padding, variant.masks.encoder_padding, 4, 4,
                      [&](Index b, Index t, Index s) { return expected.encoder(b, t, s); });
        check_reasons(variant.reasons.decoder_combined, variant.masks.decoder_combined, 6, 6,
                      [&](Index b, Index t, Index s) { return expected.decoder(b, t, s); });
        check_reasons(variant.reasons.cross_padding, variant.masks.cross_padding, 6, 4,
                      [&](Index b, Index, Index s) { return expected.cross(b, s); });
      }
    }
  }
}

TEST_CASE("The text of a variant is true for its masks and batch", "[page]") {
  const auto says = [](const MaskSettings& masks, const Padded& ids, const std::string& name) {
    return named(variants_of(masks, ids), name).says;
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const Padded both;
  const Padded unpadded{IdMatrix{{5, 4, 8, 2}}, IdMatrix{{1, 5, 6}}};
  const Padded target_only{IdMatrix{{5, 4}, {7, 2}}, IdMatrix{{1, 5, 6}, {1, 3, 0}}};
  CHECK(contains(says({}, both, "no_padding_masks"), "Words attend to padding"));
  CHECK(contains(says({}, target_only, "no_padding_masks"), "only padding attends to padding"));
  CHECK(contains(says({.look_ahead = false}, target_only, "no_padding_masks"), "Words attend to padding"));
  CHECK(contains(says({}, unpadded, "no_padding_masks"), "nothing changes"));
  CHECK(contains(says({.look_ahead = false}, both, "no_look_ahead"), "nothing changes"));
  CHECK(contains(says({.look_ahead = false}, both, "no_look_ahead"), "sees the words it must predict"));
  CHECK_FALSE(contains(says({.look_ahead = false}, both, "no_look_ahead"), "padding"));
  CHECK(contains(says({.cross_padding = false}, both, "no_cross_mask"), "nothing changes"));
  CHECK(contains(says({.cross_padding = false}, both, "no_cross_mask"), "let words attend to padding"));
  CHECK_FALSE(contains(says({.cross_padding = false}, unpadded, "no_cross_mask"), "padding"));

  const std::string all = says({.look_ahead = false}, both, "all_masks");
  CHECK(contains(all, "no longer sees the words"));
  CHECK_FALSE(contains(all, "padding"));
  const std::string padding = says({.cross_padding = false}, both, "all_masks");
  CHECK_FALSE(contains(padding, "no longer sees the words"));
  CHECK(contains(padding, "No word attends to padding any more"));
  CHECK_FALSE(contains(says({.target_padding = false}, both, "all_masks"), "any more"));  // no word did before
}

TEST_CASE("A variant that does not affect the batch lists no changed mask", "[page]") {
  const Padded unpadded{IdMatrix{{5, 4, 8, 2}}, IdMatrix{{1, 5, 6}}};
  const auto variants = variants_of({}, unpadded);
  for (const char* name : {"no_padding_masks", "no_cross_mask", "padded_queries"}) {
    CAPTURE(name);
    CHECK(named(variants, name).changed.empty());
  }
  CHECK(named(variants, "no_look_ahead").changed == Names{"decoder_combined"});
  const auto without = variants_of({.look_ahead = false}, unpadded);
  CHECK(named(without, "no_look_ahead").changed.empty());
  CHECK(named(without, "no_look_ahead").says != named(variants, "no_look_ahead").says);
}

TEST_CASE("A model trained without a mask gets a variant with all masks", "[page]") {
  const Padded ids;
  const auto variants = variants_of({.look_ahead = false}, ids);
  const MaskVariant& all = named(variants, "all_masks");
  CHECK(all.changed == Names{"decoder_combined"});
  CHECK(same_bits(all.masks.decoder_combined.blocked,
                  make_masks(ids.source, ids.target, {{.pad = kNoWord}, {.pad = kNoWord}}).decoder_combined.blocked));
  CHECK(std::ranges::count(variants_of({}, ids), "all_masks", &MaskVariant::name) == 0);
}

TEST_CASE("For a model trained without some masks, each variant changes one thing only", "[page]") {
  const Padded ids;
  const auto no_padding = variants_of({.encoder_padding = false, .target_padding = false, .cross_padding = false}, ids);
  CHECK(named(no_padding, "no_look_ahead").changed == Names{"decoder_combined"});
  CHECK(named(no_padding, "no_padding_masks").changed.empty());
  CHECK(named(no_padding, "no_cross_mask").changed.empty());
  CHECK(named(no_padding, "next_word_visible").changed == Names{"decoder_combined"});
  CHECK(blocks(named(no_padding, "next_word_visible").masks.decoder_combined, 2, 6, 6,
               [](Index, Index t, Index s) { return s > t + 1; }));
  CHECK(blocks(named(no_padding, "padded_queries").masks.encoder_padding, 2, 4, 4,
               [&](Index b, Index t, Index) { return ids.source(b, t) == kNoWord; }));
  CHECK(blocks(named(no_padding, "inverted").masks.cross_padding, 2, 6, 4, [](Index, Index, Index) { return true; }));

  const auto no_look_ahead = variants_of({.look_ahead = false}, ids);
  CHECK(named(no_look_ahead, "no_cross_mask").changed == Names{"cross_padding"});
  CHECK(blocks(named(no_look_ahead, "padded_queries").masks.decoder_combined, 2, 6, 6,
               [&](Index b, Index t, Index s) { return ids.target(b, t) == kNoWord || ids.target(b, s) == kNoWord; }));
}

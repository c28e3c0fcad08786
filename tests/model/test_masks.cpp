#include <array>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/model/masks.hpp"
#include "layers/mask_table.hpp"

using namespace glassformer;
using example::MaskTable, example::check_mask;

namespace {

constexpr SpecialIdPair kBothPads{{.pad = 3}, {.pad = 9}};

}  // namespace

TEST_CASE("The transformer's three masks: source padding twice, and target padding with the future", "[model]") {
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}};
  const IdMatrix target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const TransformerMasks masks = make_masks(source, target, kBothPads);
  const MaskTable source_padding{{0, 0, 1, 1, 1}, {0, 1, 0, 0, 0}};
  check_mask(masks.encoder_padding, 2, 1, source_padding);
  check_mask(masks.cross_padding, 2, 1, source_padding);
  check_mask(masks.decoder_combined, 2, 3, MaskTable{{0, 1, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}});
}

TEST_CASE("A mask that is off keeps its shape and blocks nothing", "[model]") {
  check_mask(all_visible(2, 3, 4), 2, 3, MaskTable::Zero(6, 4));
  const Mask padding = padding_mask(IdMatrix{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}}, 0);
  check_mask(apply_switch(padding, true), 2, 1, padding.blocked.eigen());
  check_mask(apply_switch(padding, false), 2, 1, MaskTable::Zero(2, 5));
  check_mask(apply_switch(look_ahead_mask(3), false), 1, 3, MaskTable::Zero(3, 3));
}

TEST_CASE("Each of the transformer's masks has its own switch", "[model]") {
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}};
  const IdMatrix target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const TransformerMasks all = make_masks(source, target, kBothPads);
  const auto check = [&](const MaskSettings& on, const MaskTable& encoder, const MaskTable& decoder,
                         const MaskTable& cross) {
    const TransformerMasks masks = make_masks(source, target, kBothPads, on);
    check_mask(masks.encoder_padding, 2, 1, encoder);
    check_mask(masks.decoder_combined, 2, 3, decoder);
    check_mask(masks.cross_padding, 2, 1, cross);
  };
  const MaskTable padding = all.encoder_padding.blocked.eigen();
  const MaskTable decoder = all.decoder_combined.blocked.eigen();
  const MaskTable nothing = MaskTable::Zero(2, 5);
  const MaskTable target_padding{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  const MaskTable future{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
  check({}, padding, decoder, padding);
  check({.encoder_padding = false}, nothing, decoder, padding);
  check({.look_ahead = false}, padding, target_padding, padding);
  check({.target_padding = false}, padding, future, padding);
  check({.cross_padding = false}, padding, decoder, nothing);
  check({false, false, false, false}, nothing, MaskTable::Zero(6, 3), nothing);
}

TEST_CASE("The five masks of a transformer reuse the memory of older ones", "[model]") {
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}};
  const IdMatrix target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const auto five = [](const TransformerMasks& masks) {
    return std::array{&masks.encoder_padding, &masks.target_padding, &masks.look_ahead, &masks.decoder_combined,
                      &masks.cross_padding};
  };
  const auto memory_of = [&](const TransformerMasks& masks) {
    std::vector<const void*> places;
    for (const Mask* mask : five(masks)) {
      places.push_back(mask->blocked.data());
    }
    return places;
  };
  TransformerMasks masks =
      make_masks(IdMatrix{{7, 7, 7, 7, 7}, {3, 3, 3, 3, 3}}, IdMatrix{{9, 9, 9, 9}, {1, 9, 9, 9}}, kBothPads);
  const auto before = memory_of(masks);
  for (const MaskSettings& on : {MaskSettings{}, MaskSettings{false, false, false, false}, MaskSettings{}}) {
    masks = make_masks(source, target, kBothPads, on, std::move(masks));
    CHECK(memory_of(masks) == before);
    const TransformerMasks expected = make_masks(source, target, kBothPads, on);
    for (std::size_t i = 0; i < 5; ++i) {
      check_mask(*five(masks)[i], five(expected)[i]->sentences, five(expected)[i]->queries,
                 five(expected)[i]->blocked.eigen());
    }
  }
}

#include <array>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "layers/masks.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

using MaskTable = Matrix<std::uint8_t>;

void check_mask(const Mask& mask, Index sentences, Index queries, const MaskTable& blocked) {
  CHECK(mask.sentences == sentences);
  CHECK(mask.queries == queries);
  CHECK(mask.keys() == blocked.cols());
  CHECK(same_bits(mask.blocked, blocked));
}

const MaskTable kLookAhead3{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
const MaskTable kLookAhead5{{0, 1, 1, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}};

}  // namespace

TEST_CASE("The padding mask blocks the keys that are padding", "[layers]") {
  const IdMatrix ids{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}, {0, 0, 0, 4, 5}};
  check_mask(padding_mask(ids, 0), 3, 1, MaskTable{{0, 0, 1, 1, 0}, {0, 0, 0, 1, 1}, {1, 1, 1, 0, 0}});
}

TEST_CASE("The caller chooses which id is padding", "[layers]") {
  const IdMatrix ids{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}};
  check_mask(padding_mask(ids, 1), 2, 1, MaskTable{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 0}});
  check_mask(padding_mask(ids, 99), 2, 1, MaskTable::Zero(2, 5));
}

TEST_CASE("The look-ahead mask blocks the keys after the query, not the query's own", "[layers]") {
  check_mask(look_ahead_mask(1), 1, 1, MaskTable::Zero(1, 1));
  check_mask(look_ahead_mask(3), 1, 3, kLookAhead3);
  check_mask(look_ahead_mask(5), 1, 5, kLookAhead5);
}

TEST_CASE("The combined mask blocks what either mask blocks", "[layers]") {
  const IdMatrix target{{1, 2, 3, 0}, {2, 3, 0, 0}};
  const MaskTable expected{{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 1},   // sentence 0
                           {0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}};  // sentence 1
  check_mask(combined_mask(padding_mask(target, 0), look_ahead_mask(4)), 2, 4, expected);
  check_mask(combined_mask(look_ahead_mask(4), padding_mask(target, 0)), 2, 4, expected);
}

TEST_CASE("If a target is padded on the left, the combined mask blocks whole rows", "[layers]") {
  const IdMatrix target{{0, 0, 0, 4, 5}};
  check_mask(combined_mask(padding_mask(target, 0), look_ahead_mask(5)), 1, 5,
             MaskTable{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 0, 1}, {1, 1, 1, 0, 0}});
}

TEST_CASE("The prefix mask shows the prefix to every query and is causal after it", "[layers]") {
  check_mask(prefix_mask(5, 2), 1, 5,
             MaskTable{{0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}});
  check_mask(prefix_mask(5, 0), 1, 5, kLookAhead5);
  check_mask(prefix_mask(5, 1), 1, 5, kLookAhead5);
  check_mask(prefix_mask(5, 5), 1, 5, MaskTable::Zero(5, 5));

  const Mask four_of_ten = prefix_mask(10, 4);
  const Index visible[] = {4, 4, 4, 4, 5, 6, 7, 8, 9, 10};
  for (Index query = 0; query < 10; ++query) {
    CHECK(10 - four_of_ten.blocked.eigen().row(query).cast<Index>().sum() == visible[query]);
  }
}

TEST_CASE("A mask answers whether one query of one sentence sees one key", "[layers]") {
  const IdMatrix ids{{7, 0}, {0, 6}};
  const Mask padding = padding_mask(ids, 0);
  for (Index query = 0; query < 3; ++query) {  // the same for every query
    CHECK_FALSE(padding.is_blocked(0, query, 0));
    CHECK(padding.is_blocked(0, query, 1));
    CHECK(padding.is_blocked(1, query, 0));
  }
  const Mask causal = look_ahead_mask(3);
  for (Index sentence = 0; sentence < 3; ++sentence) {  // the same for every sentence
    CHECK(causal.is_blocked(sentence, 1, 2));
    CHECK_FALSE(causal.is_blocked(sentence, 2, 1));
  }
  const Mask both = combined_mask(padding_mask(IdMatrix{{7, 0, 5}, {7, 6, 5}}, 0), causal);
  CHECK(both.is_blocked(0, 2, 1));
  CHECK_FALSE(both.is_blocked(1, 2, 1));
  CHECK(both.is_blocked(1, 1, 2));
}

TEST_CASE("The transformer's three masks: source padding twice, and target padding with the future", "[layers]") {
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}};
  const IdMatrix target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const TransformerMasks masks = make_masks(source, target, {3, 9});
  const MaskTable source_padding{{0, 0, 1, 1, 1}, {0, 1, 0, 0, 0}};
  check_mask(masks.encoder_padding, 2, 1, source_padding);
  check_mask(masks.cross_padding, 2, 1, source_padding);
  check_mask(masks.decoder_combined, 2, 3, MaskTable{{0, 1, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}});
}

TEST_CASE("A mask that is off keeps its shape and blocks nothing", "[layers]") {
  check_mask(all_visible(2, 3, 4), 2, 3, MaskTable::Zero(6, 4));
  const Mask padding = padding_mask(IdMatrix{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}}, 0);
  check_mask(apply_switch(padding, true), 2, 1, padding.blocked.eigen());
  check_mask(apply_switch(padding, false), 2, 1, MaskTable::Zero(2, 5));
  check_mask(apply_switch(look_ahead_mask(3), false), 1, 3, MaskTable::Zero(3, 3));
}

TEST_CASE("Each of the transformer's masks has its own switch", "[layers]") {
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}};
  const IdMatrix target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const TransformerMasks all = make_masks(source, target, {3, 9});
  const auto check = [&](const MaskSettings& on, const MaskTable& encoder, const MaskTable& decoder,
                         const MaskTable& cross) {
    const TransformerMasks masks = make_masks(source, target, {3, 9}, on);
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

TEST_CASE("A mask finds its row for each row of scores of all sentences, heads and queries", "[layers]") {
  const Index B = 3;
  const Index H = 2;
  const Index T = 4;
  for (const auto& [sentences, queries] : {std::pair<Index, Index>{1, 1}, {B, 1}, {1, T}, {B, T}}) {
    const Mask mask = all_visible(sentences, queries, 5);
    CAPTURE(sentences, queries);
    REQUIRE(mask.fits(B, T));
    CHECK_FALSE(mask.fits(B, T + 1) == (queries > 1));
    CHECK_FALSE(mask.fits(B + 1, T) == (sentences > 1));
    for (Index n = 0; n < B * H * T; ++n) {
      CHECK(mask.row_for(n, B * H * T) == mask.row(n / (H * T), n % T));
    }
  }
}

TEST_CASE("A new mask can reuse the memory of an older one and keeps none of its contents", "[layers]") {
  const IdMatrix target{{1, 2, 9}, {2, 9, 9}};
  Mask old = all_visible(2, 5, 5);
  old.blocked.fill(1);
  const std::uint8_t* const memory = old.blocked.data();
  const auto check_reused = [&](const Mask& expected, const auto& make) {
    old.blocked.resize(10, 5);
    old.blocked.fill(1);
    old = make(std::move(old));
    CHECK(old.blocked.data() == memory);
    check_mask(old, expected.sentences, expected.queries, expected.blocked.eigen());
  };
  const Mask padding = padding_mask(target, 9);
  const Mask causal = look_ahead_mask(3);
  check_reused(padding, [&](Mask mask) { return padding_mask(target, 9, std::move(mask)); });
  check_reused(causal, [&](Mask mask) { return look_ahead_mask(3, std::move(mask)); });
  check_reused(prefix_mask(5, 2), [&](Mask mask) { return prefix_mask(5, 2, std::move(mask)); });
  check_reused(all_visible(2, 1, 4), [&](Mask mask) { return all_visible(2, 1, 4, std::move(mask)); });
  check_reused(combined_mask(padding, causal),
               [&](Mask mask) { return combined_mask(padding, causal, std::move(mask)); });
}

TEST_CASE("The five masks of a transformer reuse the memory of older ones", "[layers]") {
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
      make_masks(IdMatrix{{7, 7, 7, 7, 7}, {3, 3, 3, 3, 3}}, IdMatrix{{9, 9, 9, 9}, {1, 9, 9, 9}}, {3, 9});
  const auto before = memory_of(masks);
  for (const MaskSettings& on : {MaskSettings{}, MaskSettings{false, false, false, false}, MaskSettings{}}) {
    masks = make_masks(source, target, {3, 9}, on, std::move(masks));
    CHECK(memory_of(masks) == before);
    const TransformerMasks expected = make_masks(source, target, {3, 9}, on);
    for (std::size_t i = 0; i < 5; ++i) {
      check_mask(*five(masks)[i], five(expected)[i]->sentences, five(expected)[i]->queries,
                 five(expected)[i]->blocked.eigen());
    }
  }
}

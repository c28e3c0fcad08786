#include "catch.hpp"
#include "layers/masks.hpp"
#include "random_values.hpp"

using namespace glassformer;
using Table = Matrix<std::uint8_t>;

namespace {

void check_mask(const Mask& mask, Index sentences, Index queries, const Table& blocked) {
  CHECK(mask.sentences == sentences);
  CHECK(mask.queries == queries);
  CHECK(mask.keys() == blocked.cols());
  CHECK(same_bits(mask.blocked, blocked));
}

const Table kLookAhead3{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
const Table kLookAhead5{{0, 1, 1, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}};

}  // namespace

TEST_CASE("The padding mask blocks the keys that are padding", "[layers]") {
  const IdMatrix ids{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}, {0, 0, 0, 4, 5}};
  check_mask(padding_mask(ids, 0), 3, 1, Table{{0, 0, 1, 1, 0}, {0, 0, 0, 1, 1}, {1, 1, 1, 0, 0}});
}

TEST_CASE("Which id is padding is said by the caller", "[layers]") {
  const IdMatrix ids{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}};
  check_mask(padding_mask(ids, 1), 2, 1, Table{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 0}});
  check_mask(padding_mask(ids, 99), 2, 1, Table::Zero(2, 5));
}

TEST_CASE("The look-ahead mask blocks the keys after the query, not the query's own", "[layers]") {
  check_mask(look_ahead_mask(1), 1, 1, Table::Zero(1, 1));
  check_mask(look_ahead_mask(3), 1, 3, kLookAhead3);
  check_mask(look_ahead_mask(5), 1, 5, kLookAhead5);
}

TEST_CASE("The combined mask blocks what either mask blocks", "[layers]") {
  const IdMatrix target{{1, 2, 3, 0}, {2, 3, 0, 0}};
  const Table expected{{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 1},   // sentence 0
                       {0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}};  // sentence 1
  check_mask(combined_mask(padding_mask(target, 0), look_ahead_mask(4)), 2, 4, expected);
  check_mask(combined_mask(look_ahead_mask(4), padding_mask(target, 0)), 2, 4, expected);
}

TEST_CASE("Of a target that is padded on the left, the combined mask blocks whole rows", "[layers]") {
  const IdMatrix target{{0, 0, 0, 4, 5}};
  check_mask(combined_mask(padding_mask(target, 0), look_ahead_mask(5)), 1, 5,
             Table{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 0, 1}, {1, 1, 1, 0, 0}});
}

TEST_CASE("The prefix mask shows the prefix to every query and is causal after it", "[layers]") {
  check_mask(prefix_mask(5, 2), 1, 5,
             Table{{0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}});
  check_mask(prefix_mask(5, 0), 1, 5, kLookAhead5);
  check_mask(prefix_mask(5, 1), 1, 5, kLookAhead5);
  check_mask(prefix_mask(5, 5), 1, 5, Table::Zero(5, 5));

  const Mask four_of_ten = prefix_mask(10, 4);
  const Index visible[] = {4, 4, 4, 4, 5, 6, 7, 8, 9, 10};
  for (Index query = 0; query < 10; ++query) {
    CHECK(10 - four_of_ten.blocked.row(query).cast<Index>().sum() == visible[query]);
  }
}

TEST_CASE("A mask can be asked about one query and one key of one sentence", "[layers]") {
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
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}}, target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const TransformerMasks masks = make_masks(source, 3, target, 9);
  const Table source_padding{{0, 0, 1, 1, 1}, {0, 1, 0, 0, 0}};
  check_mask(masks.encoder_padding, 2, 1, source_padding);
  check_mask(masks.cross_padding, 2, 1, source_padding);
  check_mask(masks.decoder_combined, 2, 3,
             Table{{0, 1, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}});
}

TEST_CASE("A mask that is off has the shape that it has when it is on, and blocks nothing", "[layers]") {
  check_mask(all_visible(2, 3, 4), 2, 3, Table::Zero(6, 4));
  const Mask padding = padding_mask(IdMatrix{{7, 6, 0, 0, 1}, {1, 2, 3, 0, 0}}, 0);
  check_mask(switched(padding, true), 2, 1, padding.blocked);
  check_mask(switched(padding, false), 2, 1, Table::Zero(2, 5));
  check_mask(switched(look_ahead_mask(3), false), 1, 3, Table::Zero(3, 3));
}

TEST_CASE("Each of the transformer's masks has a switch of its own", "[layers]") {
  const IdMatrix source{{5, 9, 3, 3, 3}, {5, 3, 7, 8, 0}}, target{{1, 2, 9}, {2, 9, 9}};  // pads: 3 and 9
  const TransformerMasks all = make_masks(source, 3, target, 9);
  const auto check = [&](const MaskSettings& on, const Table& encoder, const Table& decoder, const Table& cross) {
    const TransformerMasks masks = make_masks(source, 3, target, 9, on);
    check_mask(masks.encoder_padding, 2, 1, encoder);
    check_mask(masks.decoder_combined, 2, 3, decoder);
    check_mask(masks.cross_padding, 2, 1, cross);
  };
  const Table padding = all.encoder_padding.blocked, decoder = all.decoder_combined.blocked;
  const Table nothing = Table::Zero(2, 5);
  const Table target_padding{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  const Table future{{0, 1, 1}, {0, 0, 1}, {0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
  check({}, padding, decoder, padding);
  check({.encoder_padding = false}, nothing, decoder, padding);
  check({.look_ahead = false}, padding, target_padding, padding);
  check({.target_padding = false}, padding, future, padding);
  check({.cross_padding = false}, padding, decoder, nothing);
  check({false, false, false, false}, nothing, Table::Zero(6, 3), nothing);
}

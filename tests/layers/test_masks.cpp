#include <utility>

#include "catch.hpp"
#include "glassformer/layers/masks.hpp"
#include "layers/mask_table.hpp"

using namespace glassformer;
using example::MaskTable, example::check_mask;

namespace {

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

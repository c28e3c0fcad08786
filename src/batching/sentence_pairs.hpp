#pragma once

#include <cstdint>
#include <span>

#include "glassformer/model/special_ids.hpp"

namespace glassformer {

/// A view of sentence pairs: one flat array of ids, without bos and eos, and one of offsets into it.
///
///   ids      the dog sleeps  der hund schläft   a cat  eine katze
///   offsets  0               3                  6      8           10
///            source 0        target 0           source 1 ...
struct SentencePairs {
  std::span<const Id> ids;
  std::span<const std::int64_t> offsets;  ///< [2 * pairs + 1]
  SpecialIds source_special = {}, target_special = {};

  Index size() const { return std::ssize(offsets) / 2; }
  std::span<const Id> source(Index pair) const { return sentence(2 * pair); }
  std::span<const Id> target(Index pair) const { return sentence(2 * pair + 1); }

 private:
  std::span<const Id> sentence(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t begin = offsets[at];
    const std::int64_t end = offsets[at + 1];
    return ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
};

}  // namespace glassformer

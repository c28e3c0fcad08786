#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/model/special_ids.hpp"

namespace glassformer {

/// Converts text to ids and back.
class Vocabulary {
 public:
  virtual ~Vocabulary() = default;

  /// Ids of one sentence (valid UTF-8), without bos and eos.
  virtual std::vector<Id> encode(std::string_view sentence) const = 0;
  /// The sentence for these ids, without pad, bos and eos.
  virtual std::string decode(std::span<const Id> ids) const = 0;
  /// The parts of a sentence that encode() turns into unk, in order.
  virtual std::vector<std::string> unknown(std::string_view sentence) const = 0;
  /// An id as readable text. \pre 0 <= id < vocabulary_size(), or kNoToken if that is padding
  virtual std::string piece(Id id) const = 0;
  virtual Index vocabulary_size() const = 0;  ///< special ids included
  virtual SpecialIds special() const = 0;
};

/// The vocabularies of both languages; the same one if it is joint. Whoever made the pair keeps them alive.
struct VocabularyPair {
  const Vocabulary* source;
  const Vocabulary* target;
};

}  // namespace glassformer

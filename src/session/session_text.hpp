#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "glassformer/glassformer.hpp"

namespace glassformer {

/// Sentence pairs in the form that batches are made from: one array of ids and one of offsets.
class SessionText {
 public:
  SessionText(const SpecialIdPair& special, std::span<const SentencePair> pairs) : special_(special) {
    for (const SentencePair& pair : pairs) {
      add(pair.source);
      add(pair.target);
    }
  }

  Index size() const { return view().size(); }
  SentencePairs view() const { return {ids_, offsets_, special_.source, special_.target}; }

 private:
  void add(const std::vector<Id>& sentence) {
    ids_.insert(ids_.end(), sentence.begin(), sentence.end());
    offsets_.push_back(std::ssize(ids_));
  }

  std::vector<Id> ids_;
  std::vector<std::int64_t> offsets_ = {0};
  SpecialIdPair special_;
};

}  // namespace glassformer

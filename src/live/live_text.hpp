#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "glassformer/glassformer.hpp"
#include "glassformer/live/live_settings.hpp"
#include "glassformer/words/word_vocabulary.hpp"

namespace glassformer {

/// The training text of a page: its vocabularies, and the pairs to train on.
struct LiveText {
  std::shared_ptr<const WordVocabulary> source, target;  ///< the same one if settings.joint
  std::vector<SentencePair> pairs;
  std::vector<std::string> remarks;  ///< what was left out, and why

  VocabularyPair vocabularies() const { return {source.get(), target.get()}; }
};

/// Learns the vocabularies from all lines, and reads the pairs as a training run does: without those that have an empty
/// side or are too long. Refuses sides of different length, and text without a word or a pair.
LiveText read_text(const LiveSettings& settings, std::span<const std::string> source,
                   std::span<const std::string> target);

/// What a session for this text is created from.
SessionSettings session_settings(const LiveSettings& settings, const LiveText& text);

}  // namespace glassformer

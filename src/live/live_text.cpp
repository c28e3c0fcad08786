#include "glassformer/live/live_text.hpp"

#include <algorithm>
#include <utility>

#include "glassformer/session/checks.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

using Lines = std::span<const std::string>;

/// Learns the words of the lines. If there is no room for all of them, adds a remark.
std::shared_ptr<const WordVocabulary> learn(const LiveSettings& settings, std::span<const Lines> texts,
                                            const std::string& side, std::vector<std::string>& remarks) {
  WordCounts counts;
  for (const Lines text : texts) {
    for (const std::string& line : text) {
      count_words(line, counts);
    }
  }
  std::vector<WordCount> frequent = frequent_words(counts, settings.min_frequency);
  if (frequent.empty()) {
    refuse(side + ": expected text, found no word that occurs " + std::to_string(settings.min_frequency) +
           " times or more");
  }
  const std::size_t room = static_cast<std::size_t>(settings.vocabulary_size) - kSpecialWords.size();
  frequent.resize(std::min(frequent.size(), room));
  if (frequent.size() < counts.size()) {
    remarks.push_back(side + ": the vocabulary has " + std::to_string(frequent.size()) + " of " +
                      std::to_string(counts.size()) + " words; the others become <unk>");
  }
  std::vector<std::string> words(kSpecialWords.begin(), kSpecialWords.end());
  for (auto& [word, count] : frequent) {
    words.push_back(std::move(word));
  }
  return std::make_shared<const WordVocabulary>(std::move(words));
}

std::string pairs_left_out(Index count, const std::string& why) {
  return std::to_string(count) + (count == 1 ? " pair is" : " pairs are") + " left out: " + why;
}

void read_pairs(LiveText& text, Lines source, Lines target, Index max_length) {
  Index empty = 0;
  Index too_long = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    SentencePair pair{text.source->encode(source[i]), text.target->encode(target[i])};
    if (pair.source.empty() || pair.target.empty()) {
      ++empty;
    } else if (std::max(std::ssize(pair.source), std::ssize(pair.target)) > max_length) {
      ++too_long;
    } else {
      text.pairs.push_back(std::move(pair));
    }
  }
  if (empty > 0) {
    text.remarks.push_back(pairs_left_out(empty, "a side is empty"));
  }
  if (too_long > 0) {
    text.remarks.push_back(
        pairs_left_out(too_long, "a side has more words than data.max_length allows, " + std::to_string(max_length)));
  }
}

}  // namespace

LiveText read_text(const LiveSettings& settings, Lines source, Lines target) {
  if (source.size() != target.size()) {
    refuse("text: expected a target line for each source line, found " + std::to_string(source.size()) +
           " source lines and " + std::to_string(target.size()) + " target lines");
  }
  const Lines both[] = {source, target};
  LiveText text;
  if (settings.joint) {
    text.source = text.target = learn(settings, both, "text", text.remarks);
  } else {
    text.source = learn(settings, {both, 1}, "source", text.remarks);
    text.target = learn(settings, {both + 1, 1}, "target", text.remarks);
  }
  read_pairs(text, source, target, settings.max_length);
  if (text.pairs.empty()) {
    refuse("text: expected at least one sentence pair to train on, found none");
  }
  return text;
}

SessionSettings session_settings(const LiveSettings& settings, const LiveText& text) {
  return {settings.model,
          settings.training,
          text.source->vocabulary_size(),
          text.target->vocabulary_size(),
          {text.source->special(), text.target->special()}};
}

}  // namespace glassformer

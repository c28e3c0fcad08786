#include "text/word_model.hpp"

#include <sentencepiece_trainer.h>

#include <unordered_map>
#include <utility>

#include "text/sentencepiece_status.hpp"

namespace glassformer {
namespace {

/// Each word as a sentence of its own: what the library learns words from. It does not bear to learn none, so there is
/// always a full stop.
class WordLines final : public sentencepiece::SentenceIterator {
 public:
  explicit WordLines(std::span<const std::string> words) : words_(words) {}
  bool done() const override { return next_ > words_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return next_ == 0 ? full_stop_ : words_[next_ - 1]; }
  auto status() const -> decltype(std::declval<const SentenceIterator&>().status()) override { return {}; }

 private:
  std::span<const std::string> words_;
  const std::string full_stop_ = ".";
  std::size_t next_ = 0;
};

}  // namespace

std::string sentencepiece_model_of_words(std::span<const std::string> words) {
  const std::unordered_map<std::string, std::string> options = {
      {"model_type", "word"},
      {"vocab_size", std::to_string(words.size() + 5)},
      {"hard_vocab_limit", "false"},
      {"normalization_rule_name", "identity"},
      {"character_coverage", "1.0"},
      {"pad_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"unk_id", "3"},
      {"num_threads", "1"},
      {"minloglevel", "3"},  // silent
  };
  WordLines lines(words);
  std::string model;
  require_done(sentencepiece::SentencePieceTrainer::Train(options, &lines, &model), "make a model of words");
  return model;
}

}  // namespace glassformer

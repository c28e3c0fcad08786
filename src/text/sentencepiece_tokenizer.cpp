#include "text/sentencepiece_tokenizer.hpp"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unicode/uchar.h>

#include <cassert>
#include <future>
#include <unordered_map>
#include <utility>

#include "files/durable_files.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"
#include "files/utf8.hpp"
#include "text/sentencepiece_status.hpp"

namespace glassformer {
namespace {

/// Longer lines are skipped. This is the library's own default, and it must not grow much: the BPE trainer keeps
/// positions inside a word in 16 bits and crashes beyond them.
constexpr std::size_t kMaxLineBytes = 4192;
/// Of a larger text the library samples this many lines with a fixed seed, so that it needs only a few GB.
constexpr Index kMaxLines = 1'000'000;

bool has_letter_or_digit(const std::string& line) {
  for (std::size_t i = 0; i < line.size();) {
    if (u_isalnum(next_character(line, i))) return true;
  }
  return false;
}

/// The lines of the texts, one text after the other, in the form in which the trainer asks for them.
class TrainingLines final : public sentencepiece::SentenceIterator {
 public:
  explicit TrainingLines(std::vector<std::filesystem::path> texts)
      : texts_(std::move(texts)), reader_(texts_[0]) {
    Next();
  }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  auto status() const -> decltype(std::declval<const SentenceIterator&>().status()) override { return {}; }

  void Next() override {
    do {
      while (!reader_.next(line_)) {
        if (++text_ == texts_.size()) return finish();
        reader_ = LineReader(texts_[text_]);
      }
    } while (line_.size() > kMaxLineBytes);
    // The library leaves out lines with its own sign for unknown characters.
    learnable_ = learnable_ || (line_.find("\u2585") == std::string::npos && has_letter_or_digit(line_));
  }

 private:
  void finish() {
    done_ = true;
    if (learnable_) return;  // on a text without a letter the library would end the process
    throw UserError(texts_.front().string() +
                    ": expected text to train a tokenizer on, found no line with a letter " +
                    "or digit and at most " + std::to_string(kMaxLineBytes) + " bytes; check the file");
  }

  std::vector<std::filesystem::path> texts_;
  std::size_t text_ = 0;
  LineReader reader_;
  std::string line_;
  bool done_ = false, learnable_ = false;
};

}  // namespace

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

SentencePieceTokenizer::SentencePieceTokenizer(std::string model, const std::string& origin)
    : model_(std::move(model)), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  load_model(*processor_, model_, origin);
  special_ = {processor_->pad_id(), processor_->bos_id(), processor_->eos_id(), processor_->unk_id()};
  std::string missing;
  for (const auto& [id, name] :
       {std::pair(special_.pad, "pad"), {special_.bos, "bos"}, {special_.eos, "eos"}}) {
    if (id < 0) missing += std::string(missing.empty() ? "" : ", ") + name;
  }
  if (!missing.empty()) {
    throw UserError(origin + ": expected a SentencePiece model with pad, bos and eos, found one without " +
                    missing + "; train it with --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3");
  }
}

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::train(
    const TokenizerSettings& settings, const std::vector<std::filesystem::path>& texts) {
  const std::unordered_map<std::string, std::string> options = {
      {"model_type", settings.model == SentencePieceModel::bpe ? "bpe" : "unigram"},
      {"vocab_size", std::to_string(settings.vocabulary_size)},
      {"pad_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"unk_id", "3"},
      {"character_coverage", "1.0"},
      {"max_sentence_length", std::to_string(kMaxLineBytes)},
      {"input_sentence_size", std::to_string(kMaxLines)},
      {"shuffle_input_sentence", "true"},
      {"num_threads", "1"},  // the unigram trainer's sums, and so its pieces, depend on the number of threads
      {"minloglevel", "3"},  // silent
  };
  TrainingLines lines(texts);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &lines, &model);
  if (!status.ok()) {
    std::string names = texts.front().string();
    if (texts.size() > 1) names += " and " + texts.back().string();
    throw UserError("tokenizer.vocabulary_size: SentencePiece cannot learn " +
                    std::to_string(settings.vocabulary_size) + " pieces from " + names +
                    "; it says: " + status.ToString());
  }
  return std::shared_ptr<const Tokenizer>(new SentencePieceTokenizer(std::move(model), texts.front().string()));
}

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::read(const std::filesystem::path& model_file) {
  return std::shared_ptr<const Tokenizer>(
      new SentencePieceTokenizer(read_bytes(model_file), model_file.string()));
}

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::load(const std::filesystem::path& directory,
                                                              const std::string& name) {
  return read(directory / (name + ".spm"));
}

std::vector<Id> SentencePieceTokenizer::encode(std::string_view sentence, double sampling) const {
  return cut<Id>(*processor_, sentence, sampling);
}

std::string SentencePieceTokenizer::decode(std::span<const Id> ids) const {
  std::vector<int> words;
  for (const Id id : ids) {
    assert(id >= 0 && id < vocabulary_size());
    if (id != special_.pad && id != special_.bos && id != special_.eos) words.push_back(id);
  }
  std::string sentence;
  require_done(processor_->Decode(words, &sentence), "decode a sentence");
  return sentence;
}

std::string SentencePieceTokenizer::piece(Id id) const {
  assert(id >= 0 && id < vocabulary_size());
  return std::string(processor_->IdToPiece(id));
}

Index SentencePieceTokenizer::vocabulary_size() const { return processor_->GetPieceSize(); }

void SentencePieceTokenizer::save(const std::filesystem::path& directory, const std::string& name) const {
  write_file_durably(directory / (name + ".spm"), model_);
}

void with_sampling_seed(std::uint64_t seed, const std::function<void()>& work) {
  // The library has a generator for each thread, which takes its seed when the thread first draws. The largest seed
  // means to it that none is set.
  constexpr std::uint64_t kSeeds = 0xFFFFFFFF;
  sentencepiece::SetRandomGeneratorSeed(static_cast<unsigned int>(seed % kSeeds));
  std::async(std::launch::async, work).get();
}

}  // namespace glassformer

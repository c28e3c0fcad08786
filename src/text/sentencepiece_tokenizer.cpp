#include <unicode/uchar.h>

#include <algorithm>
#include <cassert>

#include "files/lines.hpp"
#include "files/utf8.hpp"
#include "text/sentencepiece.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {
namespace {

/// Longer lines are skipped: the library's default. Its BPE trainer crashes if a word has more than 65,535 bytes.
constexpr std::size_t kMaxLineBytes = 4192;
/// From a larger text, the library samples this many lines, so that it needs only a few GB.
constexpr Index kMaxLines = 1'000'000;

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string model, const std::string& origin) : model_(std::move(model), origin) {
    const auto& processor = model_.processor;
    special_ = {processor.pad_id(), processor.bos_id(), processor.eos_id(), processor.unk_id()};
    std::string missing;
    for (const auto& [id, name] : {std::pair(special_.pad, "pad"), {special_.bos, "bos"}, {special_.eos, "eos"}})
      if (id < 0) missing += std::string(missing.empty() ? "" : ", ") + name;
    if (!missing.empty())
      throw UserError(origin + ": expected a SentencePiece model with pad, bos and eos, found one without " + missing +
                      "; train it with --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3");
  }

  std::vector<Id> encode(std::string_view sentence) const override { return model_.encode<Id>(sentence); }
  std::string decode(std::span<const Id> ids) const override { return model_.decode(without_special(ids)); }
  std::string piece(Id id) const override {
    assert(id >= 0 && id < vocabulary_size());
    return std::string(model_.processor.IdToPiece(id));
  }
  Index vocabulary_size() const override { return model_.processor.GetPieceSize(); }
  SpecialIds special() const override { return special_; }
  void save(const std::filesystem::path& directory, const std::string& name) const override {
    model_.save(directory, name);
  }

 private:
  SentencePieces model_;
  SpecialIds special_;
};

}  // namespace

std::shared_ptr<const Tokenizer> train_sentencepiece(const TokenizerSettings& settings, const TextFiles& texts) {
  std::size_t text = 0;
  LineReader reader(texts[0]);
  bool learnable = false;
  const auto next = [&](std::string& line) {
    do {
      while (!reader.next(line)) {
        if (++text == texts.size()) {
          if (learnable) return false;
          // On a text without letters, the library would abort the process.
          throw UserError(texts.front().string() + ": expected text to train a tokenizer on, found no line with a " +
                          "letter or digit and at most " + std::to_string(kMaxLineBytes) + " bytes; check the file");
        }
        reader = LineReader(texts[text]);
      }
    } while (line.size() > kMaxLineBytes);
    // The library skips lines that contain its own symbol for unknown characters.
    const auto is_letter_or_digit = [](char32_t c) { return u_isalnum(static_cast<UChar32>(c)); };
    learnable = learnable || (line.find("\u2585") == std::string::npos &&
                              std::ranges::any_of(code_points(line), is_letter_or_digit));
    return true;
  };
  const auto [model, status] =
      SentencePieces::train({{"model_type", settings.model == SentencePieceModel::bpe ? "bpe" : "unigram"},
                             {"vocab_size", std::to_string(settings.vocabulary_size)},
                             {"max_sentence_length", std::to_string(kMaxLineBytes)},
                             {"input_sentence_size", std::to_string(kMaxLines)},
                             {"shuffle_input_sentence", "true"}},
                            next);
  if (!status.ok()) {
    const std::string second = texts.size() > 1 ? " and " + texts.back().string() : "";
    throw UserError("tokenizer.vocabulary_size: SentencePiece cannot learn " +
                    std::to_string(settings.vocabulary_size) + " pieces from " + texts.front().string() + second +
                    "; it reports: " + status.ToString());
  }
  return std::make_shared<const SentencePieceTokenizer>(model, texts.front().string());
}

std::shared_ptr<const Tokenizer> read_sentencepiece(const std::filesystem::path& model_file) {
  return std::make_shared<const SentencePieceTokenizer>(read_checkpoint_file(model_file, kLongestTable),
                                                        model_file.string());
}

}  // namespace glassformer

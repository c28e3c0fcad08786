#include <spdlog/fmt/fmt.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <regex>

#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/text/sentencepiece.hpp"
#include "glassformer/text/tokenizer.hpp"

namespace glassformer {
namespace {

/// Longer lines are skipped: the library's default. Its BPE trainer crashes if a word has more than 65,535 bytes. A
/// higher limit would also change the pieces that version 0.1 learned from a text with such lines.
constexpr std::size_t kMaxLineBytes = 4192;
/// From a larger text, the library samples this many lines, so that it needs only a few GB.
constexpr Index kMaxLines = 1'000'000;

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string model, const std::string& origin) : model_(std::move(model), origin) {
    const auto& processor = model_.processor;
    special_ = {processor.pad_id(), processor.bos_id(), processor.eos_id(), processor.unk_id()};
    std::string missing;
    for (const auto& [id, name] : {std::pair(special_.pad, "pad"), {special_.bos, "bos"}, {special_.eos, "eos"}}) {
      if (id < 0) {
        missing += std::string(missing.empty() ? "" : ", ") + name;
      }
    }
    if (!missing.empty()) {
      throw UserError(origin + ": expected a SentencePiece model with pad, bos and eos, found one without " + missing +
                      "; train it with --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3");
    }
  }

  std::vector<Id> encode(std::string_view sentence) const override { return model_.encode<Id>(sentence); }
  std::string decode(std::span<const Id> ids) const override { return model_.decode(without_special(ids)); }
  std::vector<std::string> unknown(std::string_view sentence) const override {
    const std::vector<Id> ids = encode(sentence);
    const std::vector<std::string> pieces = model_.encode<std::string>(sentence);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == special_.unk) {
        texts.push_back(without_mark(pieces[i]));
      }
    }
    return texts;
  }
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
  static std::string without_mark(const std::string& piece) {
    constexpr std::string_view kMark = "\u2581";  // starts a word
    return piece.starts_with(kMark) && piece.size() > kMark.size() ? piece.substr(kMark.size()) : piece;
  }

  SentencePieces model_;
  SpecialIds special_;
};

/// Gives the trainer the lines of some files. Counts those that are skipped.
class TrainingLines {
 public:
  explicit TrainingLines(const TextFiles& files) : files_(files), reader_(files[0]) {}

  /// Stores the next line that is short enough. False after the last one.
  /// \throws UserError: nothing to learn from; the library would abort the process
  bool next(std::string& line) {
    do {
      while (!reader_.next(line)) {
        if (++file_ == files_.size()) {
          require_learnable();
          return false;
        }
        reader_ = LineReader(files_[file_]);
      }
      ++lines_;
      too_long_ += line.size() > kMaxLineBytes;
    } while (line.size() > kMaxLineBytes);
    const bool is_skipped =
        line.find("\u2585") != std::string::npos;  // the library's own symbol for unknown characters
    with_symbol_ += is_skipped;
    const auto is_letter_or_digit = [](char32_t c) { return u_isalnum(static_cast<UChar32>(c)); };
    learnable_ = learnable_ || (!is_skipped && std::ranges::any_of(code_points(line), is_letter_or_digit));
    return true;
  }

  std::vector<Remark> remarks() const {
    std::vector<Remark> list;
    const std::string files = names_of(files_);
    if (too_long_ > 0) {
      list.push_back({true, fmt::format("{}: the tokenizer skipped {} of {} lines, because they have more than {} "
                                        "bytes; a character that occurs only in them becomes unk. Split long lines "
                                        "into sentences",
                                        files, too_long_, lines_, kMaxLineBytes)});
    }
    if (with_symbol_ > 0) {
      list.push_back({true, fmt::format("{}: the tokenizer skipped {} of {} lines, because they contain U+2585 (▅), "
                                        "which SentencePiece uses as a symbol. Remove it",
                                        files, with_symbol_, lines_)});
    }
    if (lines_ - too_long_ > kMaxLines) {
      list.push_back({false, fmt::format("{}: the tokenizer learned from {} of {} lines, drawn at random", files,
                                         kMaxLines, lines_)});
    }
    return list;
  }

  static std::string names_of(const TextFiles& files) {
    return files.front().string() + (files.size() > 1 ? " and " + files.back().string() : "");
  }

 private:
  void require_learnable() const {
    if (!learnable_) {
      throw UserError(files_.front().string() + ": there is no text to train a tokenizer on: no line has a letter " +
                      "or digit and at most " + std::to_string(kMaxLineBytes) + " bytes; check the file");
    }
  }

  const TextFiles& files_;
  std::size_t file_ = 0;
  LineReader reader_;
  Index lines_ = 0, too_long_ = 0, with_symbol_ = 0;
  bool learnable_ = false;
};

/// What the library reports about a vocabulary that is too large or too small for the text, in terms of our keys.
std::string explain(const std::string& report, const VocabularyPlan& plan) {
  static const std::regex kTooHigh(R"(Vocabulary size too high.*value <= (\d+))");
  static const std::regex kTooLow(R"(smaller than required_chars. \d+ vs (\d+))");
  const std::string files = TrainingLines::names_of(plan.texts);
  const std::string& key = plan.side_key.empty() ? plan.key : plan.side_key;
  std::smatch found;
  if (std::regex_search(report, found, kTooHigh)) {
    return fmt::format(
        "{}: expected at most {} pieces, the most that can be learned from {}, found {}; set {} to {} or less",
        plan.key, found.str(1), files, plan.size, key, found.str(1));
  }
  if (std::regex_search(report, found, kTooLow)) {
    return fmt::format(
        "{}: expected at least {} pieces for {}, one for each of its characters, found {}; set {} to {} "
        "or more, or leave rare characters out with tokenizer.character_coverage below 1 (0.9995 is "
        "usual for Chinese and Japanese)",
        plan.key, found.str(1), files, plan.size, key, found.str(1));
  }
  return fmt::format("{}: SentencePiece cannot learn {} pieces from {}; it reports: {}", plan.key, plan.size, files,
                     report);
}

/// A model that lacks pad, bos or eos, with a piece for each of them at the end. This needs no change to the rest of
/// the model: if a field of a Protocol Buffers message occurs twice, the list of pieces grows, and the settings are
/// merged (https://protobuf.dev/programming-guides/encoding/#last-one-wins).
std::string with_special_pieces(std::string model, const std::string& origin, std::vector<Remark>& remarks) {
  const SentencePieces given(model, origin);
  const auto& processor = given.processor;
  const auto is_free = [&](const std::string& piece) {
    return processor.IdToPiece(processor.PieceToId(piece)) != piece;
  };
  int id = processor.GetPieceSize();
  for (const auto& [special, found] :
       {std::pair("pad", processor.pad_id()), {"bos", processor.bos_id()}, {"eos", processor.eos_id()}}) {
    if (found >= 0) {
      continue;
    }
    std::string piece = special == std::string("pad") ? "<pad>" : special == std::string("bos") ? "<s>" : "</s>";
    while (!is_free(piece)) {
      piece += '_';
    }
    append_special_piece(model, special, piece, id);
    remarks.push_back({false, fmt::format("{}: the model has no {}, so the piece {} is added, with id {}", origin,
                                          special, piece, id)});
    ++id;
  }
  return model;
}

}  // namespace

std::shared_ptr<const Tokenizer> train_sentencepiece(const TokenizerSettings& settings, const VocabularyPlan& plan) {
  TrainingLines lines(plan.texts);
  std::unordered_map<std::string, std::string> options = {
      {"model_type", settings.model == SentencePieceModel::bpe ? "bpe" : "unigram"},
      {"vocab_size", std::to_string(plan.size)},
      {"character_coverage", fmt::format("{}", settings.character_coverage)},
      {"normalization_rule_name", kNormalizationNames[static_cast<std::size_t>(settings.normalization)]},
      {"max_sentence_length", std::to_string(kMaxLineBytes)},
      {"input_sentence_size", std::to_string(kMaxLines)},
      {"shuffle_input_sentence", "true"}};
  const auto [model, status] = SentencePieces::train(options, [&](std::string& line) { return lines.next(line); });
  if (!status.ok()) {
    throw TokenizerKeyError(explain(status.ToString(), plan));
  }
  auto tokenizer = std::make_shared<SentencePieceTokenizer>(model, plan.texts.front().string());
  tokenizer->remarks = lines.remarks();
  return tokenizer;
}

std::shared_ptr<const Tokenizer> read_sentencepiece(const std::filesystem::path& model_file) {
  return std::make_shared<const SentencePieceTokenizer>(read_checkpoint_file(model_file, kLongestTable),
                                                        model_file.string());
}

std::shared_ptr<const Tokenizer> adopt_sentencepiece(const std::filesystem::path& model_file) {
  const std::string origin = model_file.string();
  std::vector<Remark> remarks;
  auto tokenizer = std::make_shared<SentencePieceTokenizer>(
      with_special_pieces(read_checkpoint_file(model_file, kLongestTable), origin, remarks), origin);
  tokenizer->remarks = std::move(remarks);
  return tokenizer;
}

}  // namespace glassformer

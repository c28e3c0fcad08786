#include <spdlog/fmt/fmt.h>

#include <cassert>
#include <regex>
#include <unordered_map>

#include "glassformer/files/json_file.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/text/sentencepiece.hpp"
#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

/// Turns SentencePiece's word-start marks into spaces, and trims the ends, as transformers does.
std::string without_marks(const std::string& sentence) {
  static const std::regex kMark("\u2581");
  const std::string text = std::regex_replace(sentence, kMark, " ");
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

Id id_below(const JsonFile& config, const std::string& key, Index vocabulary_size) {
  const Index id = config.integer(key);
  if (id >= vocabulary_size) {
    throw config.mistake(key, "an id below " + std::to_string(vocabulary_size));
  }
  return static_cast<Id>(id);
}

class MarianTokenizer final : public Tokenizer {
 public:
  /// `model`: the name of a .spm file; `vocabulary`: the name of the table with an id for each piece.
  MarianTokenizer(const fs::path& directory, const std::string& model, const std::string& vocabulary, Index size)
      : model_(read_checkpoint_file(directory / model, kLongestTable), (directory / model).string()), size_(size) {
    const JsonFile table(directory / vocabulary, kLongestTable);
    for (const auto& [piece, value] : table.object().items()) {
      const Id id = id_below(table, piece, size);
      const auto [place, is_new] = pieces_.emplace(id, piece);
      if (!is_new) {
        throw table.mistake(piece, "an id other than that of " + brief(place->second));
      }
      if (piece.find_first_of("\r\n") != std::string::npos) {
        throw table.mistake(piece, "a piece without a line break (use another model)");
      }
      ids_.emplace(piece, id);
      if (language_code(piece) == piece) {
        codes_.push_back(piece);
      }
    }

    const JsonFile config(directory / "config.json");
    special_.eos = id_below(config, "eos_token_id", size);
    special_.pad = id_below(config, "pad_token_id", size);
    special_.bos = id_below(config, "decoder_start_token_id", size);
    special_.unk = id_below(table, "<unk>", size);
    check_special(table, "</s>", special_.eos, "eos_token_id");
    check_special(table, "<pad>", special_.pad, "pad_token_id");
    if (special_.bos == special_.pad) {
      special_.pad = kNoToken;
    }
  }

  std::vector<Id> encode(std::string_view sentence) const override {
    std::vector<Id> ids;
    for (const std::string& piece : pieces_of(sentence)) {
      const auto known = ids_.find(piece);
      ids.push_back(known != ids_.end() ? known->second : special_.unk);
    }
    return ids;
  }

  std::vector<std::string> unknown(std::string_view sentence) const override {
    std::vector<std::string> texts;
    for (const std::string& piece : pieces_of(sentence)) {
      if (!ids_.contains(piece)) {
        texts.push_back(without_marks(piece));
      }
    }
    return texts;
  }

  std::string decode(std::span<const Id> ids) const override {
    std::vector<std::string> pieces;
    for (const Id id : without_special(ids)) {
      pieces.push_back(piece(id));
    }
    const std::string sentence = model_.decode(pieces);
    return without_marks(sentence);  // a piece that only the other language's model has keeps its mark
  }

  std::string piece(Id id) const override {
    if (id == kNoToken) {
      return "<pad>";
    }
    assert(id >= 0 && id < vocabulary_size());
    const auto piece = pieces_.find(id);
    return piece == pieces_.end() ? "<" + std::to_string(id) + ">" : piece->second;
  }

  Index vocabulary_size() const override { return size_; }
  SpecialIds special() const override { return special_; }
  std::span<const std::string> language_codes() const override { return codes_; }
  std::map<std::string, Id> vocabulary() const override { return {ids_.begin(), ids_.end()}; }
  void save(const fs::path& directory, const std::string& name) const override { model_.save(directory, name); }

 private:
  /// The model's embeddings belong to the ids of config.json, so another id in the table means another model's table.
  void check_special(const JsonFile& table, const std::string& piece, Id expected, const std::string& key) const {
    if (const auto found = ids_.find(piece); found != ids_.end() && found->second != expected) {
      throw table.mistake(
          piece, fmt::format("{}, the {} of config.json (both files must come from the same model)", expected, key));
    }
  }

  std::vector<std::string> pieces_of(std::string_view sentence) const {
    const std::string code(language_code(sentence));
    if (!code.empty()) {
      require_known(code);
    }
    std::vector<std::string> pieces = model_.encode<std::string>(sentence.substr(code.size()));
    if (!code.empty()) {
      pieces.insert(pieces.begin(), code);
    }
    return pieces;
  }

  /// A model without language codes treats a code like any other word.
  void require_known(const std::string& code) const {
    if (ids_.contains(code) || codes_.empty()) {
      return;
    }
    throw UserError("a sentence begins with " + code + ", which is not one of this model's language codes. The model " +
                    "has " + listed(codes_) + ".");
  }

  SentencePieces model_;
  const Index size_;                            // as config.json claims
  std::unordered_map<Id, std::string> pieces_;  // only those in the table
  std::unordered_map<std::string, Id> ids_;
  std::vector<std::string> codes_;  // pieces that are language codes, sorted
  SpecialIds special_;
};

}  // namespace

TokenizerPair load_marian_tokenizers(const fs::path& directory, bool joint) {
  const JsonFile config(directory / "config.json");
  const Index source_size = config.integer(kSourceVocabulary, config.integer("vocab_size"));
  const bool one_table = config.flag("share_encoder_decoder_embeddings", true);
  const Index target_size =
      config.integer(kTargetVocabulary, one_table ? source_size : config.integer("decoder_vocab_size", source_size));
  const std::string target_table = joint ? "vocab.json" : "target_vocab.json";
  return {std::make_shared<const MarianTokenizer>(directory, "source.spm", "vocab.json", source_size),
          std::make_shared<const MarianTokenizer>(directory, "target.spm", target_table, target_size)};
}

}  // namespace glassformer

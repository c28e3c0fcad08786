#include "text/marian_tokenizer.hpp"

#include <sentencepiece_processor.h>

#include <cassert>
#include <regex>

#include "files/durable_files.hpp"
#include "files/json_file.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"
#include "text/sentencepiece_status.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

/// The code of a language with which the sentence begins, ">>deu<<"; "" if with none.
std::string_view language_code(std::string_view sentence) {
  const std::size_t end = sentence.find("<<");
  return sentence.starts_with(">>") && end != std::string_view::npos ? sentence.substr(0, end + 2) : "";
}

/// With a space for each mark with which SentencePiece begins a word, and none at the ends: what transformers makes of it.
std::string without_marks(const std::string& sentence) {
  static const std::regex kMark("\u2581");
  const std::string text = std::regex_replace(sentence, kMark, " ");
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

Id id_below(const JsonFile& config, const std::string& key, Index vocabulary_size) {
  const Index id = config.whole(key);
  if (id >= vocabulary_size) throw config.mistake(key, "an id below " + std::to_string(vocabulary_size));
  return static_cast<Id>(id);
}

}  // namespace

/// What one side's tokenizer is made from.
struct MarianTokenizer::Files {
  fs::path directory;
  std::string model;       // source.spm
  std::string vocabulary;  // vocab.json
  Index vocabulary_size;
};

TokenizerPair MarianTokenizer::load(const fs::path& directory, bool joint) {
  const JsonFile config(directory / "config.json");
  const Index source_size = config.whole(kSourceVocabulary, config.whole("vocab_size"));
  const bool one_table = config.flag("share_encoder_decoder_embeddings", true);
  const Index target_size =
      config.whole(kTargetVocabulary, one_table ? source_size : config.whole("decoder_vocab_size", source_size));
  const Files source{directory, "source.spm", "vocab.json", source_size};
  const Files target{directory, "target.spm", joint ? "vocab.json" : "target_vocab.json", target_size};
  return {std::shared_ptr<const Tokenizer>(new MarianTokenizer(source)),
          std::shared_ptr<const Tokenizer>(new MarianTokenizer(target))};
}

MarianTokenizer::MarianTokenizer(const Files& files)
    : model_(read_bytes(files.directory / files.model)),
      processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()),
      pieces_(static_cast<std::size_t>(files.vocabulary_size)) {
  load_model(*processor_, model_, (files.directory / files.model).string());

  const JsonFile vocabulary(files.directory / files.vocabulary);
  for (const auto& [piece, value] : vocabulary.object().items()) {
    const Id id = id_below(vocabulary, piece, files.vocabulary_size);
    std::string& place = pieces_[static_cast<std::size_t>(id)];
    if (!place.empty()) throw vocabulary.mistake(piece, "an id of its own, not that of " + place);
    place = piece;
    ids_.emplace(piece, id);
  }

  const JsonFile config(files.directory / "config.json");
  special_.eos = id_below(config, "eos_token_id", files.vocabulary_size);
  special_.pad = id_below(config, "pad_token_id", files.vocabulary_size);
  special_.bos = id_below(config, "decoder_start_token_id", files.vocabulary_size);
  special_.unk = id_below(vocabulary, "<unk>", files.vocabulary_size);
  if (special_.bos == special_.pad) special_.pad = kNoToken;
}

MarianTokenizer::~MarianTokenizer() = default;

std::vector<Id> MarianTokenizer::encode(std::string_view sentence, double sampling) const {
  const std::string code(language_code(sentence));
  if (!code.empty()) require_known(code);
  std::vector<std::string> pieces = cut<std::string>(*processor_, sentence.substr(code.size()), sampling);
  if (!code.empty()) pieces.insert(pieces.begin(), code);
  std::vector<Id> ids;
  for (const std::string& piece : pieces) {
    const auto known = ids_.find(piece);
    ids.push_back(known != ids_.end() ? known->second : special_.unk);
  }
  return ids;
}

/// A model of one language has no codes: there, one is a word like any other.
void MarianTokenizer::require_known(const std::string& code) const {
  constexpr Index kShown = 8;
  if (ids_.contains(code)) return;
  std::string known;
  Index count = 0;
  for (const auto& [piece, id] : vocabulary()) {
    if (language_code(piece) != piece) continue;
    if (++count <= kShown) known += (known.empty() ? "" : ", ") + piece;
  }
  if (count == 0) return;
  if (count > kShown) known += " and " + std::to_string(count - kShown) + " more";
  throw UserError("a sentence begins with " + code + ", which is the code of no language that this model translates " +
                  "into. It has " + known + ".");
}

std::string MarianTokenizer::decode(std::span<const Id> ids) const {
  std::vector<std::string> pieces;
  for (const Id id : ids) {
    if (id != special_.pad && id != special_.bos && id != special_.eos) pieces.push_back(piece(id));
  }
  std::string sentence;
  require_done(processor_->Decode(pieces, &sentence), "decode a sentence");
  return without_marks(sentence);  // a piece that only the other side's SentencePiece has comes as it is
}

std::string MarianTokenizer::piece(Id id) const {
  if (id == kNoToken) return "<pad>";
  assert(id >= 0 && id < vocabulary_size());
  const std::string& piece = pieces_[static_cast<std::size_t>(id)];
  return piece.empty() ? "<" + std::to_string(id) + ">" : piece;
}

void MarianTokenizer::save(const fs::path& directory, const std::string& name) const {
  write_file_durably(directory / (name + ".spm"), model_);
}

}  // namespace glassformer

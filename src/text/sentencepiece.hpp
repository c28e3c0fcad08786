#pragma once

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {

/// Checks the pieces and the table of characters to replace. SentencePiece 0.1.97 does not: if they are damaged, it may
/// abort or read memory that is not its own. `model`, `origin`: see SentencePieces.
/// \throws UserError: a damaged model, or a piece with a line break
void check_sentencepiece_model(std::string_view model, const std::string& origin);

/// Adds a control piece to the end of a model, as its pad, bos or eos (`special`). `id`: how many pieces the model has.
void append_special_piece(std::string& model, const std::string& special, const std::string& piece, int id);

/// A SentencePiece model. A piece is an id (int) or text (std::string).
class SentencePieces {
 public:
  /// `model`: the bytes of a .model file; `origin`: its name. \throws UserError: not a model
  SentencePieces(std::string model, const std::string& origin) : model_(std::move(model)) {
    check_sentencepiece_model(model_, origin);
    if (const auto status = processor.LoadFromSerializedProto(model_); !status.ok()) {
      throw UserError(origin + ": expected a SentencePiece model, found something else or a damaged one; " +
                      "SentencePiece reports: " + status.ToString());
    }
  }

  /// Trains on the lines that next(line) stores until it returns false. Returns the model's bytes and a status.
  static auto train(std::unordered_map<std::string, std::string> options, std::function<bool(std::string&)> next) {
    options.insert({{"pad_id", "0"}, {"bos_id", "1"}, {"eos_id", "2"}, {"unk_id", "3"}, {"character_coverage", "1.0"}});
    options.emplace("num_threads", "1");  // the unigram trainer's sums, and so its pieces, depend on this
    options.emplace("minloglevel", "3");  // silent
    Lines lines(std::move(next));
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(options, &lines, &model);
    return std::pair(model, status);
  }

  template <class Piece>
  std::vector<Piece> encode(std::string_view sentence) const {
    std::vector<Piece> pieces;
    require_ok(processor.Encode(std::string(sentence), &pieces), "encode a sentence");
    return pieces;
  }

  template <class Piece>
  std::string decode(const std::vector<Piece>& pieces) const {
    std::string sentence;
    require_ok(processor.Decode(pieces, &sentence), "decode a sentence");
    std::ranges::replace_if(
        sentence, [](char c) { return c == '\n' || c == '\r'; }, ' ');  // byte pieces can spell them
    return sentence;
  }

  void save(const std::filesystem::path& directory, const std::string& name) const {
    write_file_durably(directory / (name + ".spm"), model_);
  }

  /// \throws UserError: the library could not do `what`
  static void require_ok(const auto& status, const std::string& what) {
    if (!status.ok()) {
      throw UserError("SentencePiece cannot " + what + "; it reports: " + status.ToString());
    }
  }

  sentencepiece::SentencePieceProcessor processor;

 private:
  class Lines final : public sentencepiece::SentenceIterator {
   public:
    explicit Lines(std::function<bool(std::string&)> next) : next_(std::move(next)) { Next(); }
    bool done() const override { return done_; }
    void Next() override { done_ = !next_(line_); }
    const std::string& value() const override { return line_; }
    auto status() const -> decltype(std::declval<const SentenceIterator&>().status()) override { return {}; }

   private:
    std::function<bool(std::string&)> next_;
    std::string line_;
    bool done_ = false;
  };

  std::string model_;
};

}  // namespace glassformer

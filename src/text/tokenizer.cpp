#include "text/tokenizer.hpp"

#include <nlohmann/json.hpp>

#include "files/durable_files.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

std::shared_ptr<const Tokenizer> make_tokenizer(const TokenizerSettings& settings,
                                                const std::filesystem::path& given_model, const TextFiles& texts) {
  if (settings.kind == TokenizerKind::word) return learn_words(settings, texts);
  if (!given_model.empty()) return read_sentencepiece(given_model);
  return train_sentencepiece(settings, texts);
}

void write_vocabulary(const std::filesystem::path& file, const Tokenizer& tokenizer) {
  constexpr int kIndent = 1;  // one piece per line
  const nlohmann::json ids = tokenizer.vocabulary();
  write_file_durably(file, ids.dump(kIndent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace

std::vector<Id> Tokenizer::without_special(std::span<const Id> ids) const {
  std::vector<Id> others(ids.begin(), ids.end());
  const SpecialIds skipped = special();
  std::erase_if(others, [&](Id id) { return id == skipped.pad || id == skipped.bos || id == skipped.eos; });
  return others;
}

std::map<std::string, Id> Tokenizer::vocabulary() const {
  std::map<std::string, Id> vocabulary;
  for (Id id = 0; id < vocabulary_size(); ++id) vocabulary.emplace(piece(id), id);
  return vocabulary;
}

TokenizerPair make_tokenizers(const TokenizerSettings& settings, const std::filesystem::path& source_text,
                              const std::filesystem::path& target_text) {
  if (settings.kind == TokenizerKind::marian)
    throw UserError("tokenizer.kind: expected a model with a marian tokenizer, found none; name one in model.from");
  if (settings.joint) {
    const auto joint = make_tokenizer(settings, settings.source_model, {source_text, target_text});
    return {joint, joint};
  }
  return {make_tokenizer(settings, settings.source_model, {source_text}),
          make_tokenizer(settings, settings.target_model, {target_text})};
}

void save_tokenizers(const TokenizerSettings& settings, const TokenizerPair& tokenizers,
                     const std::filesystem::path& directory) {
  tokenizers.source->save(directory, "source");
  tokenizers.target->save(directory, "target");  // even if both are the same: other tools look for both files
  write_vocabulary(directory / "vocab.json", *tokenizers.source);
  if (!settings.joint) write_vocabulary(directory / "target_vocab.json", *tokenizers.target);
}

TokenizerPair load_tokenizers(const TokenizerSettings& settings, const std::filesystem::path& directory) {
  if (settings.kind == TokenizerKind::marian) return load_marian_tokenizers(directory, settings.joint);
  const auto load = [&](const std::string& name) {
    return settings.kind == TokenizerKind::word ? load_words(directory, name)
                                                : read_sentencepiece(directory / (name + ".spm"));
  };
  const auto source = load("source");
  return {source, settings.joint ? source : load("target")};
}

}  // namespace glassformer

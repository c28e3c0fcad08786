#include "glassformer/text/tokenizer.hpp"

#include <nlohmann/json.hpp>

#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

constexpr const char* kSizeKey = "tokenizer.vocabulary_size";

std::shared_ptr<const Tokenizer> make_tokenizer(const TokenizerSettings& settings,
                                                const std::filesystem::path& given_model, const VocabularyPlan& plan) {
  if (settings.kind == TokenizerKind::word) {
    return learn_words(settings, plan);
  }
  if (!given_model.empty()) {
    return adopt_sentencepiece(given_model);
  }
  return train_sentencepiece(settings, plan);
}

/// `own_size`: the size of this side alone; 0: as vocabulary_size.
VocabularyPlan plan_of_side(const TokenizerSettings& settings, Index own_size, const std::string& own_key,
                            const std::filesystem::path& text) {
  return {{text}, own_size > 0 ? own_size : settings.vocabulary_size, own_size > 0 ? own_key : kSizeKey, own_key};
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
  for (Id id = 0; id < vocabulary_size(); ++id) {
    vocabulary.emplace(piece(id), id);
  }
  return vocabulary;
}

TokenizerPair make_tokenizers(const TokenizerSettings& settings, const std::filesystem::path& source_text,
                              const std::filesystem::path& target_text) {
  if (settings.kind == TokenizerKind::marian) {
    throw TokenizerKeyError(
        "tokenizer.kind: expected a model with a marian tokenizer, found none; name one in model.from");
  }
  if (settings.joint) {
    const VocabularyPlan both{{source_text, target_text}, settings.vocabulary_size, kSizeKey, ""};
    const auto joint = make_tokenizer(settings, settings.source_model, both);
    return {joint, joint};
  }
  const VocabularyPlan source =
      plan_of_side(settings, settings.source_vocabulary_size, "tokenizer.source_vocabulary_size", source_text);
  const VocabularyPlan target =
      plan_of_side(settings, settings.target_vocabulary_size, "tokenizer.target_vocabulary_size", target_text);
  return {make_tokenizer(settings, settings.source_model, source),
          make_tokenizer(settings, settings.target_model, target)};
}

void save_tokenizers(const TokenizerSettings& settings, const TokenizerPair& tokenizers,
                     const std::filesystem::path& directory) {
  tokenizers.source->save(directory, "source");
  tokenizers.target->save(directory, "target");  // even if both are the same: other tools look for both files
  write_vocabulary(directory / "vocab.json", *tokenizers.source);
  if (!settings.joint) {
    write_vocabulary(directory / "target_vocab.json", *tokenizers.target);
  }
}

TokenizerPair load_tokenizers(const TokenizerSettings& settings, const std::filesystem::path& directory) {
  if (settings.kind == TokenizerKind::marian) {
    return load_marian_tokenizers(directory, settings.joint);
  }
  const auto load = [&](const std::string& name) {
    return settings.kind == TokenizerKind::word ? load_words(directory, name)
                                                : read_sentencepiece(directory / (name + ".spm"));
  };
  const auto source = load("source");
  return {source, settings.joint ? source : load("target")};
}

}  // namespace glassformer

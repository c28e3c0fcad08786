#pragma once

#include "text/tokenizer.hpp"

/// The three kinds of tokenizers. Everything throws UserError if a file is missing or damaged.
namespace glassformer {

using TextFiles = std::vector<std::filesystem::path>;

/// The words of all `texts`, separated by Unicode's white space. Ids: `<pad>` 0, `<s>` 1, `</s>` 2, `<unk>` 3, then the
/// words, the most frequent first, equally frequent ones in the order of their bytes. A word that the training text
/// lacks, or that is spelled like one of the four, is `<unk>`.
///
/// It is saved as NAME.vocab.json, a list of the words in the order of their ids; and for other tools as NAME.spm, a
/// SentencePiece model that cuts at white space. \throws UserError: no word left to learn
std::shared_ptr<const Tokenizer> learn_words(const TokenizerSettings& settings, const TextFiles& texts);
/// Reads directory/NAME.vocab.json.
std::shared_ptr<const Tokenizer> load_words(const std::filesystem::path& directory, const std::string& name);

/// Pieces of words, learned from all `texts` by the SentencePiece library (Kudo & Richardson 2018). White space is part
/// of a piece (shown as ▁). The library first normalizes text by its rule nmt_nfkc: Unicode's NFKC, and runs of white
/// space become one space. Ids: pad 0, bos 1, eos 2, unk 3. It is saved as NAME.spm, an ordinary .model file under the
/// name that Hugging Face's Marian expects.
/// \throws UserError: a vocabulary larger or smaller than the text allows
std::shared_ptr<const Tokenizer> train_sentencepiece(const TokenizerSettings& settings, const TextFiles& texts);
/// Reads a .model file, trained with any special ids. \throws UserError: a model without pad, bos or eos
std::shared_ptr<const Tokenizer> read_sentencepiece(const std::filesystem::path& model_file);

/// The tokenizers of a Hugging Face Marian model, such as those of OPUS-MT: SentencePiece cuts a sentence into pieces,
/// and a table gives their ids. A sentence may begin with the code of the language to translate into, ">>deu<<", a piece
/// of its own; if the model has codes, encode() refuses others.
///
/// In OPUS-MT, decoding begins with the id of padding. Then that id is bos here, which must not be masked, and batches
/// are padded with kNoToken.
///
/// The directory has source.spm, target.spm; vocab.json (and target_vocab.json unless `joint`); config.json with the
/// special ids and the sizes of the vocabularies. \throws UserError: ids that do not fit together
TokenizerPair load_marian_tokenizers(const std::filesystem::path& directory, bool joint);

/// Keys of config.json for two vocabularies of different sizes. vocab_size and decoder_vocab_size are then the larger
/// size, to which the tables of the smaller one are padded (see save_checkpoint).
inline constexpr const char* kSourceVocabulary = "glassformer_source_vocabulary";
inline constexpr const char* kTargetVocabulary = "glassformer_target_vocabulary";

}  // namespace glassformer

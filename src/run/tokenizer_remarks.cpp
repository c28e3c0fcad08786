#include "glassformer/run/tokenizer_remarks.hpp"

#include <algorithm>

#include "glassformer/run/round_trip.hpp"
#include "glassformer/run/share.hpp"

namespace glassformer {
namespace {

constexpr double kUnknownShare = 0.001;    // of the tokens: below this, unknown words are not worth a warning
constexpr double kSuspiciousShare = 0.05;  // of the tokens of another text than the training text

}  // namespace

TokenizerRemarks::TokenizerRemarks(const TrainingText& text, const TrainingPlan& plan)
    : text_(text), tokenizer_(plan.tokenizer), is_new_(plan.model_from.empty()) {}

/// Whether training has learned this tokenizer.
bool TokenizerRemarks::is_learned(const Tokenizer& tokenizer) const {
  const bool is_source = &tokenizer == text_.tokenizers().source.get();  // a joint one, too
  return is_new_ && (is_source ? tokenizer_.source_model : tokenizer_.target_model).empty();
}

std::optional<Remark> TokenizerRemarks::on_unknown_words(const std::string& place, const Tokenizer& tokenizer,
                                                         const SideCensus& side, const SideCensus* trained) const {
  const bool is_training = trained == nullptr;
  const UnknownTokens& tokens = side.unknown;
  const double unknown = tokens.share();
  if (tokens.unknown == 0 || (is_training && unknown < kUnknownShare)) {
    return std::nullopt;
  }
  return Remark{unknown >= kUnknownShare,
                part_of(tokens.unknown, tokens.tokens, "tokens") +
                    fmt::format(" in {} are unknown to its tokenizer (unk), most often {}; {}", place,
                                tokens.examples(), advice_on_unknown(tokenizer, side, trained))};
}

std::string TokenizerRemarks::advice_on_unknown(const Tokenizer& tokenizer, const SideCensus& side,
                                                const SideCensus* trained) const {
  if (std::string advice = side.unknown.advice_on_form(tokenizer); !advice.empty()) {
    return advice;
  }
  const double unknown = side.unknown.share();
  const double when_trained = trained != nullptr ? trained->unknown.share() : 0;
  if (trained != nullptr && unknown >= kSuspiciousShare && unknown >= 10 * when_trained) {
    return fmt::format(
        "the training text has {}, so check that this text was prepared in the same way, and that source and target "
        "are not swapped",
        trained->unknown.unknown == 0 ? "none" : fmt::format("only {:.2f}%", 100 * when_trained));
  }
  if (!is_learned(tokenizer)) {
    return "its vocabulary is fixed, so train on the kind of text that it was made for";
  }
  return advice_on_learned(side, trained == nullptr);
}

std::string TokenizerRemarks::advice_on_learned(const SideCensus& side, bool is_training) const {
  if (tokenizer_.kind == TokenizerKind::word) {
    return std::string("subwords avoid this (tokenizer.kind: sentencepiece)") +
           (is_training ? "; or raise tokenizer.vocabulary_size, or lower tokenizer.min_frequency" : "");
  }
  if (std::ranges::any_of(side.unknown.parts,
                          [](const auto& part) { return part.first.find('\t') != std::string::npos; })) {
    return "SentencePiece allows no tab in a piece: replace tabs with spaces";
  }
  if (tokenizer_.character_coverage < 1) {
    return "raise tokenizer.character_coverage";
  }
  return "the tokenizer did not learn these characters: add training text that contains them, or remove them";
}

/// Decodes what a perfect model would produce: the pieces of the reference.
std::optional<Remark> TokenizerRemarks::on_round_trip() const {
  const TestText& valid = text_.valid();
  const bool has_valid = !valid.references.empty();
  const std::vector<std::string>& targets = has_valid ? valid.references : text_.sample();
  const auto [changed, unknown, example] = round_trip(targets, *text_.tokenizers().target);
  if (changed == 0) {
    return std::nullopt;
  }
  const auto all = std::ssize(targets);
  return Remark{
      true,
      part_of(changed, all, has_valid ? "validation references" : "training targets (a sample)") +
          fmt::format(" change when the tokenizer encodes and decodes them, so even a perfect model reaches at most "
                      "{:.2f}% exact match; {}for example, {}{}",
                      100 * (1 - share(changed, all)),
                      unknown > 0 ? fmt::format("{} of them contain unknown words; ", unknown) : "", example,
                      unknown < changed ? advice_on_normalization() : "")};
}

std::string TokenizerRemarks::advice_on_normalization() const {
  const bool can_change = is_learned(*text_.tokenizers().target) && tokenizer_.kind == TokenizerKind::sentencepiece &&
                          tokenizer_.normalization != Normalization::identity;
  return can_change ? "; tokenizer.normalization: identity keeps all characters but U+2581 and repeated spaces" : "";
}

}  // namespace glassformer

// What the user should know about the texts of a run (see training_text.hpp).
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include "run/round_trip.hpp"
#include "run/training_text.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

// Shares from which on something is worth a remark.
constexpr double kUnknownShare = 0.001;  // of the tokens of the training text, and a warning about any text
constexpr double kCutOffShare = 0.001;   // of the training pairs
constexpr double kNotableShare = 0.05;   // of the pairs: left out, not translated, in both texts

double share(Index part, Index whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

/// "12 of 400 pairs (3.00%)"
std::string part_of(Index part, Index whole, const std::string& what) {
  return fmt::format("{} of {} {} ({:.2f}%)", part, whole, what, 100 * share(part, whole));
}

/// The texts of a run and its settings, and the remarks about them so far.
class TextReport {
 public:
  TextReport(const TrainingText& text, const TrainingPlan& plan)
      : text_(text),
        tokenizer_(plan.tokenizer),
        decoding_(plan.decoding),
        is_new_(plan.model_from.empty()),
        valid_(census_of(text.valid())) {}

  std::vector<Remark> all() {
    const auto& [source, target] = text_.tokenizers();
    remarks_ = source->remarks;
    if (target != source) {
      remarks_.insert(remarks_.end(), target->remarks.begin(), target->remarks.end());
    }
    about_files();
    about_pairs_left_out();
    about_both_texts();
    for (const auto& [name, census, is_training] :
         {std::tuple("training", &text_.census(), true), {"validation", &valid_, false}}) {
      about_unknown_words(fmt::format("the source of the {} text", name), *text_.tokenizers().source, census->source,
                          is_training ? nullptr : &text_.census().source);
      about_unknown_words(fmt::format("the target of the {} text", name), *text_.tokenizers().target, census->target,
                          is_training ? nullptr : &text_.census().target);
      about_lines(fmt::format("the source of the {} text", name), census->source, census->pairs, true);
      about_lines(fmt::format("the target of the {} text", name), census->target, census->pairs, false);
    }
    about_round_trip();
    about_length_limit("training targets", text_.corpus(), kCutOffShare);
    about_length_limit("validation references", text_.valid().corpus, 0);
    return std::move(remarks_);
  }

 private:
  void warn(std::string text) { remarks_.push_back({true, std::move(text)}); }

  /// Whether training has learned this tokenizer.
  bool is_learned(const Tokenizer& tokenizer) const {
    const bool is_source = &tokenizer == text_.tokenizers().source.get();  // a joint one, too
    return is_new_ && (is_source ? tokenizer_.source_model : tokenizer_.target_model).empty();
  }

  TextCensus census_of(const TestText& text) const {
    TextCensus census;
    for (Index i = 0; i < text.corpus.size(); ++i) {
      const auto line = static_cast<std::size_t>(text.corpus.line(i));
      census.add(text_.tokenizers(), text.sources[line], text.corpus.source(i), text.references[line],
                 text.corpus.target(i));
    }
    return census;
  }

  void about_files() {
    const DataSettings& data = text_.data();
    const fs::path source = data.source_file(data.train);
    const fs::path target = data.target_file(data.train);
    std::error_code ignored;
    const TextCensus& census = text_.census();
    if (fs::equivalent(source, target, ignored)) {
      warn(
          fmt::format("{} is both the source and the target of the training text, so the model learns to copy; check "
                      "data.source_language and data.target_language",
                      source.string()));
    } else if (share(census.equal, census.pairs) >= kNotableShare) {
      warn(part_of(census.equal, census.pairs, "training pairs") +
           " have the same text on both sides, so the model learns to copy; if these are untranslated, remove them");
    }
  }

  void about_pairs_left_out() {
    const LineCounts& lines = text_.corpus().line_counts();
    const Index longest = text_.data().max_length;
    if (share(lines.too_long, lines.read) >= kNotableShare) {
      warn(part_of(lines.too_long, lines.read, "training pairs") +
           fmt::format(" are left out, because one side has more than {} tokens (data.max_length); raise it, or split "
                       "the text into sentences",
                       longest));
    }
    if (share(lines.empty, lines.read) >= kNotableShare) {
      warn(part_of(lines.empty, lines.read, "training pairs") +
           " are left out, because one side is empty; check that line by line, the files are translations of each "
           "other");
    }
  }

  void about_both_texts() {
    constexpr Index kFewest = 10;  // validation pairs: with fewer, someone is only trying things out
    if (valid_.pairs >= kFewest && share(text_.valid_pairs_seen(), valid_.pairs) >= kNotableShare) {
      warn(part_of(text_.valid_pairs_seen(), valid_.pairs, "validation pairs") +
           " are in the training text, too, so the validation metrics look better than those of new text; remove them "
           "from one of the texts");
    }
  }

  /// `trained`: the same side of the training text, or nullptr if this is the training text
  void about_unknown_words(const std::string& place, const Tokenizer& tokenizer, const SideCensus& side,
                           const SideCensus* trained) {
    const bool is_training = trained == nullptr;
    const UnknownTokens& tokens = side.unknown;
    const double unknown = tokens.share();
    if (tokens.unknown == 0 || (is_training && unknown < kUnknownShare)) {
      return;
    }
    remarks_.push_back({unknown >= kUnknownShare,
                        part_of(tokens.unknown, tokens.tokens, "tokens") +
                            fmt::format(" in {} are unknown to its tokenizer (unk), most often {}; {}", place,
                                        tokens.examples(), advice_on_unknown(tokenizer, side, trained))});
  }

  /// What can be done about unknown words.
  std::string advice_on_unknown(const Tokenizer& tokenizer, const SideCensus& side, const SideCensus* trained) const {
    if (std::string advice = side.unknown.advice_on_form(tokenizer); !advice.empty()) {
      return advice;
    }
    const double unknown = side.unknown.share();
    const double when_trained = trained != nullptr ? trained->unknown.share() : 0;
    if (trained != nullptr && unknown >= kNotableShare && unknown >= 10 * when_trained) {
      return fmt::format(
          "the training text has {}, so check that this text was prepared in the same way, and that source and target "
          "are not swapped",
          trained->unknown.unknown == 0 ? "none" : fmt::format("only {:.2f}%", 100 * when_trained));
    }
    if (!is_learned(tokenizer)) {
      return "its vocabulary was given, so train on the kind of text that it was made for";
    }
    if (tokenizer_.kind == TokenizerKind::word) {
      return std::string("subwords avoid this (tokenizer.kind: sentencepiece)") +
             (trained == nullptr ? "; or raise tokenizer.vocabulary_size, or lower tokenizer.min_frequency" : "");
    }
    if (std::ranges::any_of(side.unknown.parts,
                            [](const auto& part) { return part.first.find('\t') != std::string::npos; })) {
      return "SentencePiece allows no tab in a piece: replace tabs by spaces";
    }
    if (tokenizer_.character_coverage < 1) {
      return "raise tokenizer.character_coverage";
    }
    return "the tokenizer has not learned these characters: add training text that contains them, or remove them";
  }

  void about_lines(const std::string& place, const SideCensus& side, Index lines, bool is_source) {
    const std::string effect = is_source ? "translate will need text that is split in the same way"
                                         : "translations will be split, too, and BLEU and exact match count pieces";
    const std::string remedy =
        side.marks.are_bars()
            ? "give the original text, and SentencePiece's model in tokenizer.source_model and target_model"
            : "join the pieces with " + side.marks.command() + ", and let tokenizer.kind: sentencepiece split the text";
    if (side.marks.are_many()) {
      warn(fmt::format("in {}, {}: {}; {}", place, side.marks.text(), effect, remedy));
    }
    if (side.with_carriage_returns > 0) {
      warn(part_of(side.with_carriage_returns, lines, "lines") +
           fmt::format(" in {} contain a carriage return, which does not end a line here; if it should, convert the "
                       "text with tr '\\r' '\\n'",
                       place));
    }
  }

  /// Decodes what a perfect model would produce: the pieces of the reference.
  void about_round_trip() {
    const TestText& valid = text_.valid();
    const bool has_valid = !valid.references.empty();
    const std::vector<std::string>& targets = has_valid ? valid.references : text_.sample();
    const auto [changed, unknown, example] = round_trip(targets, *text_.tokenizers().target);
    if (changed == 0) {
      return;
    }
    const auto all = std::ssize(targets);
    warn(part_of(changed, all, has_valid ? "validation references" : "training targets (a sample)") +
         fmt::format(
             " change when the tokenizer encodes and decodes them, so even a perfect model reaches at most {:.2f}% "
             "exact match; {}for example, {}{}",
             100 * (1 - share(changed, all)),
             unknown > 0 ? fmt::format("{} of them contain unknown words; ", unknown) : "", example,
             unknown < changed ? advice_on_normalization() : ""));
  }

  std::string advice_on_normalization() const {
    const bool can_change = is_learned(*text_.tokenizers().target) && tokenizer_.kind == TokenizerKind::sentencepiece &&
                            tokenizer_.normalization != Normalization::identity;
    return can_change ? "; tokenizer.normalization: identity keeps all characters but U+2581 and repeated spaces" : "";
  }

  /// `least`: the share of pairs from which on this is a warning.
  void about_length_limit(const std::string& what, const Corpus& corpus, double least) {
    Index beyond = 0;
    Index above_largest = 0;
    DecodingSettings largest = decoding_;
    largest.max_length_ratio = kLargestLengthRatio;
    for (Index i = 0; i < corpus.size(); ++i) {
      const Index source = std::ssize(corpus.source(i));
      const Index target = std::ssize(corpus.target(i));
      if (target <= longest_translation(decoding_, source + 1)) {
        continue;
      }
      ++beyond;
      above_largest += target > longest_translation(largest, source + 1) ? 1 : 0;
    }
    if (beyond == 0) {
      return;
    }
    const std::string remedy =
        above_largest > 0 ? fmt::format("the largest ratio, {:g}, is not enough for {} of them, so check these pairs",
                                        kLargestLengthRatio, above_largest)
                          : fmt::format("a ratio of {} would suffice for all of them", needed_length_ratio(corpus));
    remarks_.push_back({share(beyond, corpus.size()) >= least,
                        part_of(beyond, corpus.size(), what) +
                            fmt::format(" are longer than {:g} * source tokens + 10 tokens, the limit of a translation "
                                        "(decoding.max_length_ratio), so such translations will be cut off; {}",
                                        decoding_.max_length_ratio, remedy)});
  }

  const TrainingText& text_;
  const TokenizerSettings& tokenizer_;
  const DecodingSettings& decoding_;
  const bool is_new_;
  const TextCensus valid_;
  std::vector<Remark> remarks_;
};

}  // namespace

std::vector<Remark> remarks_on(const TrainingText& text, const TrainingPlan& plan) {
  return TextReport(text, plan).all();
}

void report_on(const TrainingText& text, const TrainingPlan& plan) {
  for (const Remark& remark : remarks_on(text, plan)) {
    spdlog::log(remark.is_warning ? spdlog::level::warn : spdlog::level::info, "{}", remark.text);
  }
}

}  // namespace glassformer

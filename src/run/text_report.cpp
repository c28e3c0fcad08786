// What the user should know about the texts of a run (see training_text.hpp).
#include <spdlog/spdlog.h>

#include <optional>

#include "glassformer/run/share.hpp"
#include "glassformer/run/tokenizer_remarks.hpp"
#include "glassformer/run/training_text.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

// Below these shares, nothing is worth a remark.
constexpr double kCutOffShare = 0.001;  // of the training pairs
constexpr double kNotableShare = 0.05;  // of the pairs: left out, not translated, in both texts

/// The texts of a run and its settings, and the remarks about them so far.
class TextReport {
 public:
  TextReport(const TrainingText& text, const TrainingPlan& plan)
      : text_(text), tokenizer_remarks_(text, plan), decoding_(plan.decoding), valid_(census_of(text.valid())) {}

  std::vector<Remark> all() {
    const auto& [source, target] = text_.tokenizers();
    remarks_ = source->remarks;
    if (target != source) {
      remarks_.insert(remarks_.end(), target->remarks.begin(), target->remarks.end());
    }
    about_files();
    about_pairs_left_out();
    about_both_texts();
    about_text("training", text_.census(), nullptr);
    about_text("validation", valid_, &text_.census());
    add(tokenizer_remarks_.on_round_trip());
    about_length_limit("training targets", text_.corpus(), kCutOffShare);
    about_length_limit("validation references", text_.valid().corpus, 0);
    return std::move(remarks_);
  }

 private:
  void warn(std::string text) { remarks_.push_back({true, std::move(text)}); }
  void add(std::optional<Remark> remark) {
    if (remark) {
      remarks_.push_back(*std::move(remark));
    }
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
           " are left out, because one side is empty; check that the files are translations of each other, line "
           "by line");
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

  /// `trained`: what was found in the training text, or nullptr if this is the training text
  void about_text(const std::string& name, const TextCensus& census, const TextCensus* trained) {
    const auto& [source, target] = text_.tokenizers();
    const std::string source_place = fmt::format("the source of the {} text", name);
    const std::string target_place = fmt::format("the target of the {} text", name);
    add(tokenizer_remarks_.on_unknown_words(source_place, *source, census.source,
                                            trained != nullptr ? &trained->source : nullptr));
    add(tokenizer_remarks_.on_unknown_words(target_place, *target, census.target,
                                            trained != nullptr ? &trained->target : nullptr));
    about_lines(source_place, census.source, census.pairs, true);
    about_lines(target_place, census.target, census.pairs, false);
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

  /// `least`: if at least this share of the pairs is too long, this is a warning.
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
  const TokenizerRemarks tokenizer_remarks_;
  const DecodingSettings& decoding_;
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

#include "glassformer/commands/named_test.hpp"

#include <spdlog/spdlog.h>

#include <span>

#include "glassformer/evaluation/bleu_hints.hpp"
#include "glassformer/text/language_codes.hpp"
#include "glassformer/text/subword_marks.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

void warn_about_same_files(const NamedTest& test, const TestText& text) {
  if (std::error_code error;
      text.sources == text.references || fs::equivalent(test.source, test.references[0], error)) {
    spdlog::warn("{}: the source and the reference are the same text; did you give the same file twice?", test.name);
  }
  for (std::size_t i = 0; i < test.references.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::error_code error; fs::equivalent(test.references[i], test.references[j], error)) {
        spdlog::warn("{}: --reference names the file {} twice; give each reference once", test.name,
                     test.references[i].string());
      }
    }
  }
}

void warn_about_unknown_tokens(const NamedTest& test, const TestText& text, const Tokenizer& tokenizer) {
  if (text.unknown_sources.are_many()) {
    spdlog::warn("{}: {:.2f}% of the source tokens are unknown to the model; {}", test.name,
                 100 * text.unknown_sources.share(), text.unknown_sources.advice(tokenizer));
  }
}

/// BLEU depends on how the references are split into words.
void warn_about_references(const NamedTest& test, const TestText& text, const EvaluationSettings& settings) {
  SubwordMarks marks;
  for (const std::string& reference : text.references) {
    marks.add(reference);
  }
  if (marks.are_many()) {
    spdlog::warn(
        "{}: {}, so BLEU, chrF and exact match compare pieces, and this is not word-level BLEU. For word-level "
        "metrics, join translations and references with {}, and score them with sacrebleu",
        test.name, marks.text(), marks.command());
  }
  if (const std::string warning = looks_untokenized(text.references, settings); !warning.empty()) {
    spdlog::warn("{}: {}", test.name, warning);
  }
}

/// If a model needs the code of the target language, such as ">>deu<<", sentences without one are translated badly.
void warn_about_language_codes(const NamedTest& test, const TestText& text, const Tokenizer& tokenizer) {
  LanguageCodes codes;
  for (const std::string& source : text.sources) {
    codes.add(source);
  }
  if (const std::string advice = codes.advice(tokenizer); !advice.empty()) {
    spdlog::warn("{}: {}", test.name, advice);
  }
}

}  // namespace

TestText NamedTest::read(const TokenizerPair& tokenizers) const {
  return TestText::read(source, references.front(), tokenizers, std::span(references).subspan(1));
}

void warn_about(const NamedTest& test, const TestText& text, const LoadedModel& loaded) {
  const Tokenizer& source_tokenizer = *loaded.tokenizers.source;
  warn_about_same_files(test, text);
  warn_about_unknown_tokens(test, text, source_tokenizer);
  warn_about_references(test, text, loaded.config.evaluation);
  warn_about_language_codes(test, text, source_tokenizer);
}

}  // namespace glassformer

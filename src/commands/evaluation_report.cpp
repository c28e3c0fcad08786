#include "glassformer/commands/evaluation_report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace glassformer {
namespace {

/// Lines that are printed only if there is something to say.
void print_remarks(const NamedTest& test, const TestText& text, const Evaluation& evaluation,
                   const LoadedModel& loaded) {
  if (evaluation.empty_pairs > 0) {
    std::printf("  (loss, perplexity and token accuracy leave out %ld pairs with an empty side)\n",
                static_cast<long>(evaluation.empty_pairs));
  }
  if (test.references.size() > 1) {
    std::printf("  (loss, perplexity and token accuracy are those of the first reference)\n");
  }
  for (const auto& [unknown, what] :
       {std::pair(&text.unknown_sources, "source tokens"), {&text.unknown_references, "reference tokens"}}) {
    if (unknown->unknown > 0) {
      std::printf("  (unknown to the model: %s)\n", unknown->text(what).c_str());
    }
  }
  if (evaluation.translated_unknown > 0) {
    std::printf("  (%ld of %ld tokens of the translations are <unk>)\n",
                static_cast<long>(evaluation.translated_unknown), static_cast<long>(evaluation.translated_tokens));
  }
  if (evaluation.cut_off > 0) {
    std::printf("  (%s)\n", cut_off_text(evaluation.cut_off, std::ssize(evaluation.translations),
                                         loaded.config.decoding, needed_length_ratio(text.corpus))
                                .c_str());
  }
}

}  // namespace

nlohmann::ordered_json evaluation_json(const NamedTest& test, const TestText& text, const Evaluation& evaluation,
                                       const LoadedModel& loaded) {
  const DecodingSettings& decoding = loaded.config.decoding;
  auto references = nlohmann::ordered_json::array();
  for (const std::filesystem::path& file : test.references) {
    references.push_back(file.string());
  }
  return {{"checkpoint", loaded.checkpoint.string()},
          {"beam", decoding.beam},
          {"length_penalty", decoding.length_penalty},
          {"early_stopping", decoding.early_stopping},
          {"batch", decoding.batch},
          {"max_length_ratio", decoding.max_length_ratio},
          {"parameters", loaded.model.weights.size()},
          {"name", test.name},
          {"source", test.source.string()},
          {"reference", test.references.front().string()},
          {"references", references},
          {"pairs", evaluation.translations.size()},
          {"pairs_with_an_empty_side", evaluation.empty_pairs},
          {"source_tokens", text.unknown_sources.tokens},
          {"unknown_source_tokens", text.unknown_sources.unknown},
          {"reference_tokens", text.unknown_references.tokens},
          {"unknown_reference_tokens", text.unknown_references.unknown},
          {"translation_tokens", evaluation.translated_tokens},
          {"unknown_translation_tokens", evaluation.translated_unknown},
          {"cut_off", evaluation.cut_off},
          {"loss", evaluation.cross_entropy()},
          {"perplexity", evaluation.perplexity()},
          {"token_accuracy", evaluation.token_accuracy()},
          {"exact_match", evaluation.exact_match},
          {"bleu", evaluation.bleu.score},
          {"bleu_signature", evaluation.bleu.signature},
          {"chrf", evaluation.chrf.score},
          {"chrf_signature", evaluation.chrf.signature}};
}

void print_evaluation(const NamedTest& test, const TestText& text, const Evaluation& evaluation,
                      const LoadedModel& loaded) {
  std::printf("%s: %zu pairs, loss %.4f, perplexity %.3f, token accuracy %.2f%%, exact match %.2f%%\n",
              test.name.c_str(), evaluation.translations.size(), evaluation.cross_entropy(), evaluation.perplexity(),
              100 * evaluation.token_accuracy(), 100 * evaluation.exact_match);
  print_remarks(test, text, evaluation, loaded);
  std::printf("  %s\n", evaluation.bleu.line().c_str());
  std::printf("  %s\n", evaluation.chrf.line().c_str());
  std::fflush(stdout);
}

}  // namespace glassformer

#include "glassformer/commands/translation_remarks.hpp"

#include <spdlog/spdlog.h>

namespace glassformer {

void TranslationRemarks::add(const Tokenizer& tokenizer, const std::string& line, const Translation& best,
                             Index trained_length) {
  ++lines;
  const std::vector<Id> ids = tokenizer.encode(line);
  sources.add(tokenizer, line, ids);
  codes.add(line);
  if (best.cut_off && ++cut_off == 1) {
    first_cut_off = lines;
  }
  if (trained_length > 0 && std::ssize(ids) > trained_length && ++too_long == 1) {
    first_too_long = lines;
  }
  translated_tokens += best.tokens;
  translated_unknown += best.unknown;
}

void TranslationRemarks::warn(const Tokenizer& tokenizer, const DecodingSettings& decoding,
                              Index trained_length) const {
  if (cut_off > 0) {
    spdlog::warn("{} (the first is that of line {})", cut_off_text(cut_off, lines, decoding), first_cut_off);
  }
  if (sources.unknown > 0) {
    spdlog::log(sources.are_many() ? spdlog::level::warn : spdlog::level::info, "{}",
                sources.remark(tokenizer, "source tokens", "the translations of these lines suffer"));
  }
  if (const std::string advice = codes.advice(tokenizer); !advice.empty()) {
    spdlog::warn("{}", advice);
  }
  if (translated_unknown > 0) {
    spdlog::warn("{} of {} tokens of the translations are <unk>, which stands for a word that the model does not know",
                 translated_unknown, translated_tokens);
  }
  if (too_long > 0) {
    spdlog::warn(
        "{} of {} lines have more than {} tokens (the first is line {}); training left out such lines "
        "(data.max_length), so split them into sentences",
        too_long, lines, trained_length, first_too_long);
  }
}

}  // namespace glassformer

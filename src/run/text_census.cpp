#include "glassformer/run/text_census.hpp"

namespace glassformer {

void SideCensus::add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids) {
  unknown.add(tokenizer, line, ids);
  marks.add(line);
  with_carriage_returns += line.find('\r') != std::string_view::npos ? 1 : 0;
}

void TextCensus::add(const TokenizerPair& tokenizers, std::string_view source_line, std::span<const Id> source_ids,
                     std::string_view target_line, std::span<const Id> target_ids) {
  ++pairs;
  equal += source_line == target_line ? 1 : 0;
  source.add(*tokenizers.source, source_line, source_ids);
  target.add(*tokenizers.target, target_line, target_ids);
}

}  // namespace glassformer

#include "evaluation/translator.hpp"

namespace glassformer {

std::vector<std::vector<Translation>> translate_n_best(const Model<float>& model, const TokenizerPair& tokenizers,
                                                       const DecodingSettings& settings,
                                                       std::span<const std::string> lines) {
  std::vector<std::vector<Id>> sources;
  std::vector<std::size_t> line_of;  // an empty line has no source
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<Id> ids = tokenizers.source->encode(lines[i]);
    if (ids.empty()) continue;
    ids.push_back(tokenizers.source->special().eos);
    sources.push_back(std::move(ids));
    line_of.push_back(i);
  }

  const SpecialIds target = tokenizers.target->special();
  const auto found =
      translate(model, settings, {tokenizers.source->special().pad, target.bos, target.eos, target.pad}, sources);
  std::vector<std::vector<Translation>> translations(lines.size(), {Translation{}});
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::vector<Translation>& of_line = translations[line_of[k]];
    of_line.clear();
    for (const Hypothesis& h : found[k]) {
      of_line.push_back({tokenizers.target->decode(h.ids), h.log_probability, h.score});
    }
  }
  return translations;
}

std::vector<std::string> translate_lines(const Model<float>& model, const TokenizerPair& tokenizers,
                                         const DecodingSettings& settings, std::span<const std::string> lines) {
  std::vector<std::string> best;
  for (auto& translations : translate_n_best(model, tokenizers, settings, lines)) {
    best.push_back(std::move(translations.front().text));
  }
  return best;
}

}  // namespace glassformer

#include "decoding/translator.hpp"

namespace glassformer {

std::vector<std::string> translate_lines(const Transformer<float>& model,
                                         const Transformer<float>::Parameters& parameters,
                                         const TokenizerPair& tokenizers, const DecodingSettings& settings,
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
  const auto found = translate(model, parameters, settings,
                               {tokenizers.source->special().pad, target.bos, target.eos, target.pad}, sources);
  std::vector<std::string> translations(lines.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    translations[line_of[k]] = tokenizers.target->decode(found[k].front().ids);
  }
  return translations;
}

}  // namespace glassformer

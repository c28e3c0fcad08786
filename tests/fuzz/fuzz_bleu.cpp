#include <cmath>
#include <vector>

#include "fuzz/input.hpp"
#include "glassformer/evaluation/chrf.hpp"
#include "read_lines.hpp"

using namespace glassformer;

/// Lines are hypotheses and references in turn. The scores must be from 0 to 100.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const std::vector<std::string> lines = read_lines(fuzz::as_file("both", data, size));
    std::vector<std::string> hypotheses, references;
    for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
      hypotheses.push_back(lines[i]);
      references.push_back(lines[i + 1]);
    }
    if (hypotheses.empty()) {
      return;
    }
    for (const BleuTokenizer tokenizer :
         {BleuTokenizer::none, BleuTokenizer::tok_13a, BleuTokenizer::zh, BleuTokenizer::character}) {
      const double score = corpus_bleu(hypotheses, references, {tokenizer, size % 2 == 0}).score;
      if (!(score >= 0 && score <= 100 + 1e-9)) {
        __builtin_trap();
      }
    }
    const TextLines several[] = {references, hypotheses};
    const double score = corpus_chrf(hypotheses, several, size % 2 == 0).score;
    if (!(score >= 0 && score <= 100 + 1e-9)) {
      __builtin_trap();
    }
  });
  return 0;
}

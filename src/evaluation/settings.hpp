#pragma once

#include "evaluation/bleu.hpp"

namespace glassformer {

/// How translations are compared with references.
struct EvaluationSettings {
  BleuTokenizer bleu_tokenizer = BleuTokenizer::tok_13a;
  bool lowercase = false;  ///< BLEU and chrF without regard to case

  bool operator==(const EvaluationSettings&) const = default;
};

}  // namespace glassformer

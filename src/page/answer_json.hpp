#pragma once

#include <nlohmann/json_fwd.hpp>

#include "glassformer/recording/trace.hpp"
#include "glassformer/words/vocabulary.hpp"

namespace glassformer {

/// [B][T]: the expected token, its loss and probability, and the likeliest tokens. See trace_json.hpp.
nlohmann::ordered_json answers_json(const Answers& answers, const Vocabulary& tokenizer);

/// The loss and the most likely token at each position; null where padding is expected.
nlohmann::ordered_json losses_and_answers_json(const Answers& answers);

/// The mean loss of a batch and what follows from it.
nlohmann::ordered_json loss_json(const LossSum& sum);

}  // namespace glassformer

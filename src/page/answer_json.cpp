#include "glassformer/page/answer_json.hpp"

#include "glassformer/numerics/functions.hpp"
#include "glassformer/page/json_list.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

Json answer_json(const Answer& answer, const Vocabulary& tokenizer) {
  const auto if_counted = [&](double number) { return answer.counted ? Json(number) : Json(); };
  return {{"expected", answer.expected},
          {"counted", answer.counted},
          {"loss", if_counted(answer.loss)},
          {"cross_entropy", if_counted(answer.cross_entropy)},
          {"probability", if_counted(answer.probability)},
          {"likeliest", json_list(answer.likeliest, [&](const LikelyToken& token) -> Json {
             return {{"id", token.id}, {"token", tokenizer.piece(token.id)}, {"probability", token.probability}};
           })}};
}

/// [item(answer)], or null where padding is expected.
Json where_counted(const Answers& answers, const auto& item) {
  return json_list(answers, [&](const std::vector<Answer>& places) {
    return json_list(places, [&](const Answer& place) { return place.counted ? Json(item(place)) : Json(); });
  });
}

}  // namespace

Json answers_json(const Answers& answers, const Vocabulary& tokenizer) {
  return json_list(answers, [&](const std::vector<Answer>& places) {
    return json_list(places, [&](const Answer& place) { return answer_json(place, tokenizer); });
  });
}

Json losses_and_answers_json(const Answers& answers) {
  return {{"losses", where_counted(answers, [](const Answer& place) { return place.loss; })},
          {"answers", where_counted(answers, [](const Answer& place) { return place.likeliest.front().id; })}};
}

Json loss_json(const LossSum& sum) {
  const auto tokens = static_cast<double>(sum.tokens);
  return {{"mean", sum.loss / tokens},
          {"cross_entropy", sum.cross_entropy / tokens},
          {"perplexity", exp(sum.cross_entropy / tokens)},
          {"tokens", sum.tokens},
          {"correct", sum.correct}};
}

}  // namespace glassformer

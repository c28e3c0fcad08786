#include "explanation/shown_ids.hpp"

#include <numeric>
#include <set>

namespace glassformer {
namespace {

constexpr Id kMostOfVocabulary = 1000;

std::vector<Id> all_or(const std::set<Id>& spoken_of, const Tokenizer& tokenizer) {
  if (tokenizer.vocabulary_size() > kMostOfVocabulary) return {spoken_of.upper_bound(kNoToken), spoken_of.end()};
  std::vector<Id> all(static_cast<std::size_t>(tokenizer.vocabulary_size()));
  std::iota(all.begin(), all.end(), Id{0});
  return all;
}

std::set<Id> special_ids(const Tokenizer& tokenizer) {
  const SpecialIds special = tokenizer.special();
  return {special.pad, special.unk, special.bos, special.eos};
}

void insert(std::set<Id>& ids, const IdMatrix& of_batch) {
  for (Index b = 0; b < of_batch.rows(); ++b) ids.insert(of_batch.row(b).begin(), of_batch.row(b).end());
}

}  // namespace

ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation) {
  const auto& [source_tokenizer, target_tokenizer] = explained.tokenizers;
  std::set<Id> source = special_ids(*source_tokenizer), target = special_ids(*target_tokenizer);
  insert(source, explanation.batch.source);
  insert(target, explanation.batch.target_input);
  insert(target, explanation.batch.target_output);
  for (const std::vector<Answer>& places : explanation.answers) {
    for (const Answer& place : places) {
      for (const LikelyToken& token : place.likeliest) target.insert(token.id);
    }
  }
  if (explained.model.settings.tied_embeddings == Tying::all) {  // one table serves both
    source.insert(target.begin(), target.end());
    target = source;
  }
  return {all_or(source, *source_tokenizer), all_or(target, *target_tokenizer)};
}

}  // namespace glassformer

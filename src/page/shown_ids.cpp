#include "glassformer/page/shown_ids.hpp"

#include <numeric>
#include <set>

namespace glassformer {
namespace {

std::vector<Id> ids_to_show(const std::set<Id>& mentioned, const Vocabulary& tokenizer) {
  constexpr Index kLargestWhole = 1000;
  if (tokenizer.vocabulary_size() > kLargestWhole) {
    return {mentioned.upper_bound(kNoToken), mentioned.end()};
  }
  std::vector<Id> all(static_cast<std::size_t>(tokenizer.vocabulary_size()));
  std::iota(all.begin(), all.end(), Id{0});
  return all;
}

/// The special ids, and the ids on one side of the batch.
std::set<Id> ids_in(const IdMatrix& ids, const SpecialIds& special) {
  std::set<Id> found{special.pad, special.unk, special.bos, special.eos};
  for (Index b = 0; b < ids.rows(); ++b) {
    found.insert(ids.row(b).begin(), ids.row(b).end());
  }
  return found;
}

}  // namespace

ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation) {
  const auto& [source_tokenizer, target_tokenizer] = explained.tokenizers;
  std::set<Id> source = ids_in(explanation.batch.source, source_tokenizer->special());
  std::set<Id> target = ids_in(explanation.batch.target_output, target_tokenizer->special());
  for (const std::vector<Answer>& places : explanation.right().trace.answers) {
    for (const Answer& place : places) {
      for (const LikelyToken& token : place.likeliest) {
        target.insert(token.id);
      }
    }
  }
  if (explained.model.settings.tied_embeddings == Tying::all) {  // one table serves both
    source.insert(target.begin(), target.end());
    target = source;
  }
  return {ids_to_show(source, *source_tokenizer), ids_to_show(target, *target_tokenizer)};
}

}  // namespace glassformer

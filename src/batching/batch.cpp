#include "glassformer/batching/batch.hpp"

#include <algorithm>
#include <utility>

#include "glassformer/batching/lengths.hpp"

namespace glassformer {
namespace {

/// Fills one row of each matrix of the batch. The cells that the sentence does not fill stay padding.
void fill_row(Batch& batch, Index row, const SentencePairs& pairs, Index sentence) {
  const std::span<const Id> source = pairs.source(sentence);
  const std::span<const Id> target = pairs.target(sentence);

  const auto source_row = batch.source.row(row);
  std::ranges::copy(source, source_row.begin());
  source_row[std::ssize(source)] = pairs.source_special.eos;

  const auto input_row = batch.target_input.row(row);
  input_row[0] = pairs.target_special.bos;
  std::ranges::copy(target, input_row.begin() + 1);

  const auto output_row = batch.target_output.row(row);
  std::ranges::copy(target, output_row.begin());
  output_row[std::ssize(target)] = pairs.target_special.eos;
}

}  // namespace

Batch make_batch(const SentencePairs& pairs, std::span<const Index> sentences, Batch reused) {
  PairLengths longest;
  for (const Index sentence : sentences) {
    longest = longest.padded_with(lengths_of(pairs, sentence));
  }

  Batch batch = std::move(reused);
  const auto rows = static_cast<Index>(sentences.size());
  const auto clear = [&](IdMatrix& ids, Index length, Id pad) {
    ids.resize(rows, length);
    ids.fill(pad);
  };
  clear(batch.source, longest.source, pairs.source_special.pad);
  clear(batch.target_input, longest.target, pairs.target_special.pad);
  clear(batch.target_output, longest.target, pairs.target_special.pad);
  batch.sentences.assign(sentences.begin(), sentences.end());
  for (Index row = 0; row < rows; ++row) {
    fill_row(batch, row, pairs, sentences[static_cast<std::size_t>(row)]);
  }
  return batch;
}

TokenCount count_tokens(const SentencePairs& pairs, std::span<const Index> sentences) {
  TokenCount count;
  PairLengths longest;
  for (const Index sentence : sentences) {
    const PairLengths current = lengths_of(pairs, sentence);
    count.source += current.source;
    count.target += current.target;
    longest = longest.padded_with(current);
  }
  count.cells = static_cast<Index>(sentences.size()) * (longest.source + longest.target);
  return count;
}

}  // namespace glassformer

#include "glassformer/decoding/search.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>
#include <utility>

#include "glassformer/decoding/beam_search.hpp"
#include "glassformer/decoding/greedy_search.hpp"
#include "glassformer/numerics/parallel.hpp"

namespace glassformer {
namespace {

/// Sentence numbers, longest first. Long batches start first, so that none is left running alone at the end.
std::vector<std::size_t> longest_first(std::span<const std::vector<Id>> sources) {
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sources[a].size() > sources[b].size(); });
  return order;
}

/// With few sentences, batches are smaller so that every thread gets one. But if a mask is off, a sentence's result
/// depends on its batch, so the batches must not depend on the machine.
Index batch_size(const DecodingSettings& settings, const MaskSettings& masks, Index sentences) {
  if (!masks.all_on()) {
    return settings.batch;
  }
  return std::clamp<Index>((sentences + thread_count() - 1) / thread_count(), 1, settings.batch);
}

}  // namespace

std::vector<std::vector<Hypothesis>> translate(const Model<float>& model, const DecodingSettings& settings,
                                               const SpecialIds& ids, std::span<const std::vector<Id>> sources) {
  assert(settings.beam >= 1 && settings.n_best >= 1 && settings.n_best <= settings.beam && settings.batch >= 1);
  const std::vector<std::size_t> order = longest_first(sources);
  const auto sentences = static_cast<Index>(sources.size());
  const Index size = batch_size(settings, model.settings.masks, sentences);

  std::vector<std::vector<Hypothesis>> results(sources.size());
  PackedWeights<float> packed;
  Workspaces<IncrementalDecoder<float>> decoders(
      [&] { return std::make_unique<IncrementalDecoder<float>>(model, packed); });
  run_tasks_with(decoders, (sentences + size - 1) / size, [&](Index task, IncrementalDecoder<float>& decoder) {
    const Index first = task * size;
    const Index count = std::min(size, sentences - first);
    const std::span<const std::size_t> batch(order.data() + first, static_cast<std::size_t>(count));
    std::vector<std::span<const Id>> batch_sources;
    for (const std::size_t i : batch) {
      batch_sources.emplace_back(sources[i]);
    }
    auto found = settings.beam == 1 ? greedy_search(settings, ids, batch_sources, decoder)
                                    : beam_search(settings, ids, batch_sources, decoder);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      results[batch[k]] = std::move(found[k]);
    }
  });
  return results;
}

}  // namespace glassformer

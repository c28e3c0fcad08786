#include <string>
#include <vector>

#include "gradients.hpp"
#include "laws/draws.hpp"

/// All layers of the decoder read the same memory. So its gradient is a sum with one addend for each layer: what comes
/// back out of that layer's keys and values.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// The loss where each layer of the decoder has a memory of its own.
double loss_of(DrawnModel<double>& drawn, const example::PaddedBatch& batch,
               const std::vector<Buffer<double>>& memories) {
  const auto& p = drawn.p();
  auto& cache = drawn.cache;
  Embedding<double>::forward(p.target_embedding, batch.target_input, example::kTargetPad,
                             drawn.model.settings.scale_embeddings, 0, {}, 0, cache.target_embedding);
  const Buffer<double>* x = &cache.target_embedding.output;
  for (std::size_t i = 0; i < p.decoder.size(); ++i) {
    DecoderLayer<double>::forward(p.decoder[i], drawn.model.settings, *x, memories[i], batch.masks.decoder_combined,
                                  batch.masks.cross_padding, batch.source.rows(), {}, 0, cache.decoder[i]);
    x = &cache.decoder[i].output();
  }
  if (p.decoder_norm) {
    LayerNorm<double>::forward(*p.decoder_norm, *x, cache.decoder_norm, cache.normed_state);
    x = &cache.normed_state;
  }
  Linear<double>::forward(p.output, *x, cache.logits);
  return CrossEntropy<double>::forward(batch.target_output, example::kTargetPad, 0.1, cache.logits, cache.cross_entropy)
      .loss;
}

}  // namespace

TEST_CASE("Law: the gradient of the memory is the sum of one addend for each layer of the decoder", "[laws]") {
  hold(51, [](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.decoder_layers = between(random, 2, 4);
    DrawnModel<double> drawn(random, settings);
    const example::PaddedBatch batch = draw_batch(random);
    drawn.forward_backward(batch);

    const Buffer<double>& memory = drawn.model.settings.norm == Norm::pre ? drawn.cache.normed_memory
                                                                          : drawn.cache.encoder.back().output();
    std::vector<Buffer<double>> memories;
    std::vector<Matrix<double>> addends;
    Matrix<double> sum = Matrix<double>::Zero(memory.rows(), memory.cols());
    for (const auto& layer : drawn.cache.decoder) {
      memories.emplace_back(memory.rows(), memory.cols()).view() = memory;
      addends.push_back(layer.d_memory());
      sum += layer.d_memory();
    }
    CHECK(largest_difference(drawn.cache.d_memory, sum) < 1e-13);

    REQUIRE(loss_of(drawn, batch, memories) == drawn.loss.loss);
    const auto size = static_cast<std::size_t>(memory.size());
    for (std::size_t i = 0; i < addends.size(); ++i) {
      require_gradient("memory of layer " + std::to_string(i), {memories[i].data(), size}, {addends[i].data(), size},
                       [&] { return loss_of(drawn, batch, memories); }, 4);
    }
  });
}

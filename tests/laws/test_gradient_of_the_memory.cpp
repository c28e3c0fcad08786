#include <numeric>
#include <string>
#include <vector>

#include "gradients.hpp"
#include "model/recorded_run.hpp"

/// All decoder layers read the same memory. So its gradient is a sum with one term per layer: the gradient through that
/// layer's keys and values.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// The loss if each decoder layer has its own memory.
double loss_with(Transformer<double>& model, const example::PaddedBatch& batch,
                 const std::vector<Buffer<double>>& memories) {
  const Buffer<double>* x = &model.target_embedding.forward({}, batch.target_input);
  for (std::size_t i = 0; i < memories.size(); ++i) {
    x = &model.decoder_layers[i].forward({}, *x, memories[i], batch.masks);
  }
  if (model.decoder_norm) {
    x = &model.decoder_norm->forward({}, *x);
  }
  return model.cross_entropy.forward_in_place({}, model.output.forward({}, *x), batch.target_output).loss;
}

}  // namespace

TEST_CASE("Law: the gradient of the memory is the sum of one term per decoder layer", "[laws]") {
  hold(51, [](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.decoder_layers = between(random, 2, 4);
    DrawnModel<double> drawn(random, settings);
    const example::PaddedBatch batch = draw_batch(random);
    Recording recording;
    Pass pass = batch.training();
    pass.recorder = &recording;
    const double loss = drawn.model.forward(pass, batch.input()).loss;
    drawn.model.backward(pass, 1);

    std::vector<Matrix<double>> terms;
    for (const DecoderLayer<double>& layer : drawn.model.decoder_layers) {
      terms.push_back(example::d_memory_of(recording, layer));
    }
    const Matrix<double> sum = std::reduce(terms.begin() + 1, terms.end(), terms.front());
    CHECK(largest_difference(example::last_recorded(recording, "decoder", "d_memory"), sum) < 1e-13);

    const Buffer<double>& memory = drawn.model.encode({}, batch.source, batch.masks.encoder_padding);
    std::vector<Buffer<double>> memories(terms.size(), memory);
    REQUIRE(loss_with(drawn.model, batch, memories) == loss);
    const auto size = static_cast<std::size_t>(memory.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      require_gradient(
          "memory of layer " + std::to_string(i), {memories[i].data(), size}, {terms[i].data(), size},
          [&] { return loss_with(drawn.model, batch, memories); }, 4);
    }
  });
}

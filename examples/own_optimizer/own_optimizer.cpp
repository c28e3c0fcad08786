// An optimizer of your own: Lion (Chen et al. 2023), which moves every weight by the same distance and only decides on
// the direction. It trains the copy task from the parts that a Session is made of: plan the epoch, compute the gradient
// of a batch, change the weights. The exit status is 0 if the trained model copies a sequence it has never seen.
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

#include "decoding/search.hpp"
#include "training/sharded_gradient.hpp"

using namespace glassformer;

namespace {

/// Lion, for each weight p with gradient g:
///
///   direction = sign(beta1 m + (1 - beta1) g)
///   p = p - rate (direction + weight_decay p)
///   m = beta2 m + (1 - beta2) g
class Lion {
 public:
  explicit Lion(std::size_t weights) : m_(weights, 0.0F) {}

  void update(std::span<float> weights, std::span<const float> gradient, float rate) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const float mean = kBeta1 * m_[i] + (1 - kBeta1) * gradient[i];
      const float direction = mean > 0 ? 1.0F : mean < 0 ? -1.0F : 0.0F;
      weights[i] -= rate * (direction + kWeightDecay * weights[i]);
      m_[i] = kBeta2 * m_[i] + (1 - kBeta2) * gradient[i];
    }
  }

 private:
  static constexpr float kBeta1 = 0.9F;
  static constexpr float kBeta2 = 0.99F;
  static constexpr float kWeightDecay = 0.01F;
  std::vector<float> m_;  // [weights]
};

constexpr SpecialIds kSpecial{.pad = 0, .bos = 1, .eos = 2, .unk = 3};
constexpr Id kFirst = 4;
constexpr Id kVocabulary = 12;

/// Sequences and their copies, as the core stores a text: all ids in one array, and where each sentence begins.
struct Text {
  std::vector<Id> ids;
  std::vector<std::int64_t> offsets = {0};

  explicit Text(int pairs) {
    std::mt19937 random(1);
    for (int pair = 0; pair < pairs; ++pair) {
      std::vector<Id> sequence(3 + random() % 5);
      for (Id& id : sequence) {
        id = kFirst + static_cast<Id>(random() % (kVocabulary - kFirst));
      }
      for (int side = 0; side < 2; ++side) {
        ids.insert(ids.end(), sequence.begin(), sequence.end());
        offsets.push_back(std::ssize(ids));
      }
    }
  }
  SentencePairs pairs() const { return {ids, offsets, kSpecial, kSpecial}; }
};

}  // namespace

int main() {
  const Text text(2000);
  const TransformerSettings shape{.d_model = 64, .heads = 4, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 128};
  Model<float> model(shape, {kVocabulary, kVocabulary, {kSpecial, kSpecial}});
  initialize(model, 1);

  TrainingSettings settings;
  settings.label_smoothing = 0;
  ShardedGradient gradient(model, settings);
  Lion lion(static_cast<std::size_t>(model.weights.size()));
  std::uint32_t update = 0;
  for (Index epoch = 0; update < 200; ++epoch) {
    for (const std::vector<Index>& batch : plan_epoch(text.pairs(), 1024, settings.seed, epoch)) {
      ++update;
      const float rate = 3e-4F * std::min(1.0F, static_cast<float>(update) / 40);  // a linear warm-up
      const ShardedGradient::Result result = gradient.compute(text.pairs(), {&batch, 1}, {settings.seed, update});
      lion.update(model.weights.values(), gradient.gradient(), rate);
      if (update == 1 || update % 50 == 0) {
        std::printf("update %3d  loss %.3f\n", static_cast<int>(update), result.loss.mean());
      }
    }
  }

  const std::vector<Id> unseen = {9, 4, 7, 7, 11, 5};
  std::vector<Id> source = unseen;
  source.push_back(kSpecial.eos);
  const std::vector<Id> copy = translate(model, {}, kSpecial, {&source, 1}).front().front().ids;
  for (const Id id : copy) {
    std::printf(" %d", id);
  }
  std::printf("\n");
  return copy == unseen ? 0 : 1;
}

// An optimizer of your own: AdaBelief (Zhuang et al. 2020). Adam makes small steps where gradients are large; AdaBelief
// makes small steps where they are not what it expected. It trains the copy task from the parts that a Session is made
// of: plan the epoch, compute the gradient of a batch, change the weights. The exit status is 0 if the trained model
// copies a sequence it has never seen.
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

#include "glassformer/decoding/search.hpp"
#include "glassformer/training/sharded_gradient.hpp"

using namespace glassformer;

namespace {

/// AdaBelief, for each weight p with gradient g, at update t = 1, 2, 3, ...:
///
///   m = beta1 m + (1 - beta1) g                      the gradient that we expect
///   s = beta2 s + (1 - beta2) (g - m)^2 + epsilon    how far gradients are from it
///   p = p - rate * (m / (1 - beta1^t)) / (sqrt(s / (1 - beta2^t)) + epsilon)
class AdaBelief {
 public:
  explicit AdaBelief(std::size_t weights) : m_(weights, 0.0F), s_(weights, 0.0F) {}

  void update(std::span<float> weights, std::span<const float> gradient, float rate) {
    power1_ *= kBeta1;  // beta1^t
    power2_ *= kBeta2;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      m_[i] = kBeta1 * m_[i] + (1 - kBeta1) * gradient[i];
      const float surprise = gradient[i] - m_[i];
      s_[i] = kBeta2 * s_[i] + (1 - kBeta2) * surprise * surprise + kEpsilon;
      weights[i] -= rate * (m_[i] / (1 - power1_)) / (std::sqrt(s_[i] / (1 - power2_)) + kEpsilon);
    }
  }

 private:
  static constexpr float kBeta1 = 0.9F;
  static constexpr float kBeta2 = 0.98F;
  static constexpr float kEpsilon = 1e-12F;
  std::vector<float> m_;  // [weights]
  std::vector<float> s_;  // [weights]
  float power1_ = 1;
  float power2_ = 1;
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
  AdaBelief optimizer(static_cast<std::size_t>(model.weights.size()));
  std::uint32_t update = 0;
  for (Index epoch = 0; update < 200; ++epoch) {
    for (const std::vector<Index>& batch : plan_epoch(text.pairs(), 1024, settings.seed, epoch)) {
      ++update;
      const float rate = 3e-3F * std::min(1.0F, static_cast<float>(update) / 40);  // a linear warm-up
      const ShardedGradient::Result result = gradient.compute(text.pairs(), {&batch, 1}, {settings.seed, update});
      optimizer.update(model.weights.values(), gradient.gradient(), rate);
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

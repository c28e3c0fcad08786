#include "glassformer/verification/self_test.hpp"

#include <span>
#include <vector>

#include "glassformer/training/trainer.hpp"
#include "glassformer/verification/digest.hpp"

namespace glassformer {

std::uint64_t arithmetic_digest() {
  constexpr Id kVocabulary = 40;
  std::vector<Id> ids;
  std::vector<std::int64_t> offsets = {0};
  for (Index sentence = 0; sentence < 20; ++sentence) {  // ten pairs of 3 to 19 tokens
    for (Index t = 0; t < 3 + sentence * 7 % 17; ++t) {
      ids.push_back(static_cast<Id>(4 + (sentence * 31 + t * t * 5) % (kVocabulary - 4)));
    }
    offsets.push_back(std::ssize(ids));
  }
  const SentencePairs pairs{ids, offsets};

  // Widths that are not multiples of 16, and a feed-forward network wider than a block of the matrix product.
  const TransformerSettings settings{.d_model = 36,
                                     .heads = 2,
                                     .encoder_layers = 1,
                                     .decoder_layers = 1,
                                     .d_ff = 530,
                                     .activation = Activation::gelu,
                                     .attention_dropout = 0.1};
  Model<float> model(settings, {kVocabulary, kVocabulary, {}});
  initialize(model, 1);
  TrainingSettings training;
  training.max_tokens = 100;
  training.max_updates = 3;
  training.schedule = {.kind = ScheduleSettings::Kind::cosine, .learning_rate = 0.01, .warmup = 1};
  Trainer trainer(model, training, pairs);
  for (Index update = 0; update < training.max_updates; ++update) {
    trainer.step();
  }
  return Digest().add(std::span<const float>(model.weights.values())).value();
}

}  // namespace glassformer

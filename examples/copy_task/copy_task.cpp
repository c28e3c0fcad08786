// Trains a transformer to copy sequences, with the core alone: no files, no config, no tokenizer. Prints the loss and
// the copy of a sequence that it has never seen. The exit status is 0 if that copy is right and the digest of the
// arithmetic is the one that every machine must get.
#include <cstdio>
#include <random>
#include <vector>

#include "glassformer/glassformer.hpp"
#include "glassformer/verification/self_test.hpp"

using namespace glassformer;

namespace {

constexpr Id kFirst = 4, kVocabulary = 12;  // ids 0 to 3 are pad, bos, eos and unk; then eight symbols

std::vector<Id> random_sequence(std::mt19937& random) {
  std::vector<Id> ids(3 + random() % 5);
  for (Id& id : ids) {
    id = kFirst + static_cast<Id>(random() % (kVocabulary - kFirst));
  }
  return ids;
}

void print(const char* what, const std::vector<Id>& ids) {
  std::printf("%s", what);
  for (const Id id : ids) {
    std::printf(" %d", id);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::vector<SentencePair> pairs;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<Id> sequence = random_sequence(random);
    pairs.push_back({sequence, sequence});
  }

  SessionSettings settings;
  settings.source_vocabulary = settings.target_vocabulary = kVocabulary;
  settings.model = {.d_model = 64, .heads = 4, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 128};
  settings.training.max_tokens = 1024;
  settings.training.label_smoothing = 0;
  settings.training.schedule = {.kind = ScheduleSettings::Kind::constant, .learning_rate = 3e-3, .warmup = 40};

  Session session(settings, pairs);
  while (session.updates() < 200) {
    const Session::Update update = session.step();
    if (update.number == 1 || update.number % 50 == 0) {
      std::printf("update %3d  loss %.3f\n", static_cast<int>(update.number), update.loss.mean());
    }
  }

  const std::vector<Id> unseen = {9, 4, 7, 7, 11, 5};
  const std::vector<Id> copy = session.translate(unseen);
  print("sequence", unseen);
  print("copy    ", copy);
  std::printf("arithmetic %016llx\n", static_cast<unsigned long long>(arithmetic_digest()));
  return copy == unseen && arithmetic_digest() == 0xf871d317be4ce341 ? 0 : 1;
}

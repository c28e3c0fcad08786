#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "glassformer/glassformer.hpp"
#include "glassformer/training/trainer.hpp"

namespace glassformer {

/// Sentence pairs in the form that batches are made from: one array of ids and one of offsets.
class SessionText {
 public:
  SessionText(const SessionSettings& settings, std::span<const SentencePair> pairs) : special_(settings.special) {
    for (const SentencePair& pair : pairs) {
      add(pair.source);
      add(pair.target);
    }
  }

  Index size() const { return view().size(); }
  SentencePairs view() const { return {ids_, offsets_, special_.source, special_.target}; }

 private:
  void add(const std::vector<Id>& sentence) {
    ids_.insert(ids_.end(), sentence.begin(), sentence.end());
    offsets_.push_back(std::ssize(ids_));
  }

  std::vector<Id> ids_;
  std::vector<std::int64_t> offsets_ = {0};
  SpecialIdPair special_;
};

/// What a session owns. The trainer refers to the text and the model, so a State cannot be copied or moved.
struct Session::State {
  SessionSettings settings;
  SessionText text;
  Model<float> model;
  std::optional<Trainer> trainer;  ///< see ensure_trainer

  /// \pre settings and pairs have been checked
  State(const SessionSettings& given, std::span<const SentencePair> pairs)
      : settings(given),
        text(given, pairs),
        model(given.model, {given.source_vocabulary, given.target_vocabulary, given.special}) {
    initialize(model, given.training.seed);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Makes the trainer if there is none. Its gradients and its optimizer take several times as much memory as the
  /// weights, so a session that does not train never makes one. Once made, it stays: views refer to it.
  Trainer& ensure_trainer() {
    if (!trainer) {
      trainer.emplace(model, settings.training, text.view());
    }
    return *trainer;
  }
  Progress progress() const { return trainer ? trainer->progress() : Progress{}; }
};

}  // namespace glassformer

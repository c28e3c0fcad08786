#pragma once

#include <optional>
#include <span>

#include "glassformer/session/session_text.hpp"
#include "glassformer/training/trainer.hpp"

namespace glassformer {

/// What a session owns. The trainer refers to the text and the model, so a State cannot be copied or moved.
struct Session::State {
  SessionSettings settings;
  const Ranks& ranks;
  SessionText text;
  Model<float> model;
  std::optional<Trainer> trainer;  ///< see ensure_trainer

  /// \pre settings and pairs have been checked
  State(const SessionSettings& given, std::span<const SentencePair> pairs, const Ranks& given_ranks)
      : settings(given),
        ranks(given_ranks),
        text(given.special, pairs),
        model(given.model, {given.source_vocabulary, given.target_vocabulary, given.special}) {
    initialize(model, given.training.seed);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Makes the trainer if there is none. Its gradients and its optimizer take several times as much memory as the
  /// weights, so a session that does not train never makes one. Once made, it stays: views refer to it.
  Trainer& ensure_trainer() {
    if (!trainer) {
      trainer.emplace(model, settings.training, text.view(), ranks);
    }
    return *trainer;
  }
  Progress progress() const { return trainer ? trainer->progress() : Progress{}; }
};

}  // namespace glassformer

#pragma once

#include "glassformer/glassformer.hpp"

namespace glassformer::session_test {

/// A model with one layer on each side, two heads, and other vocabularies on either side.
inline SessionSettings small_session() {
  SessionSettings settings;
  settings.model.d_model = 16;
  settings.model.heads = 2;
  settings.model.encoder_layers = settings.model.decoder_layers = 1;
  settings.model.d_ff = 24;
  settings.source_vocabulary = 12;
  settings.target_vocabulary = 11;
  return settings;
}

}  // namespace glassformer::session_test

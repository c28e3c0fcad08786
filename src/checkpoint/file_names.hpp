#pragma once

#include <string_view>

namespace glassformer {

inline constexpr const char* kModelFile = "model.safetensors";           ///< a checkpoint's weights
inline constexpr const char* kStateFile = "training_state.safetensors";  ///< what resuming also needs
inline constexpr const char* kChecksumFile = "SHA256SUMS";               ///< checksums of a checkpoint's other files

/// The names of a checkpoint's files, apart from SHA256SUMS. None of them is read without being verified.
inline constexpr std::string_view kCheckpointFiles[] = {kModelFile,
                                                        kStateFile,
                                                        "config.yaml",
                                                        "config.json",
                                                        "generation_config.json",
                                                        "source.spm",
                                                        "tokenizer_config.json",
                                                        "target.spm",
                                                        "source.vocab.json",
                                                        "vocab.json",
                                                        "target.vocab.json",
                                                        "target_vocab.json"};

}  // namespace glassformer

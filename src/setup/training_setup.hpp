#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/config/changed_keys.hpp"
#include "glassformer/config/config.hpp"
#include "glassformer/run/training_plan.hpp"
#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// The tokenizers that training starts with: those of model.from, or else new ones, learned from the text. `file` is
/// the config file, for messages. \throws UserError like make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config, const std::filesystem::path& file);

/// Writes a checkpoint's config files and tokenizers: config.yaml for us; config.json and others for the Hugging Face
/// library. (Its Marian model is our post-norm transformer: the same sums in the same order, sinusoidal positions with
/// the sines first.) \throws as throw_disk_error() does
void describe_model(const Config& config, const TokenizerPair& tokenizers, const std::filesystem::path& directory);

/// What a TrainingRun needs to know of this config.
TrainingPlan plan_training(const Config& config, const TokenizerPair& tokenizers);

/// How `config` differs from the config that the run was started or last continued with.
/// \throws UserError: a key has changed that a resumed run must keep; the run's config.yaml is missing or damaged
std::vector<ChangedKey> accept_changes(const RunDirectory& run, const Config& config);

}  // namespace glassformer

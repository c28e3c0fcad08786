#pragma once

#include <filesystem>
#include <string>

namespace glassformer {

/// A run as the live page opens it, as JSON. The page makes a model from the settings and the text, which is the one
/// that the run began with, and restores the snapshots, which are those of a Session:
///
///   name      what the user calls the run
///   settings  key: value, as text; the keys of live/live_settings.hpp
///   source    the training text, line by line;  target: its translation
///   test      the first test text (source, target); null if there is none
///   pairs     what the page shows first (source, target)
///   snapshots the run's checkpoints: update, bytes (in base64)
///
/// \param run  a run directory, for all of its checkpoints (at most eight), or one checkpoint
/// \throws UserError: there is no checkpoint; it has no training state, because it is a mean; its tokenizer is not
///         `word`; its training text is missing or has changed, or is too large for a page
std::string live_run_json(const std::filesystem::path& run);

}  // namespace glassformer

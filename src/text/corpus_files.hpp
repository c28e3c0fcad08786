#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "text/corpus.hpp"

/// A corpus too large for memory lies in a directory, which holds one file for each array and corpus.json. The files
/// are written once, then mapped read-only: the system keeps in memory what is being used, and drops it when memory is
/// short.
namespace glassformer {

/// Moves a corpus into `directory`, with the rest of its text: `read_more` adds pairs to it, so many that they fit into
/// memory, and returns false when it has added the last ones. An existing directory is replaced once all is written.
/// Without a directory, the files are temporary and have no names, so that nothing is left of them in the end. Throws
/// as write_directory_durably does.
/// \param key  says in the end what the tokens depend on, for open_corpus
void move_to_files(Corpus& corpus, const std::filesystem::path& directory, const std::function<std::string()>& key,
                   const std::function<bool()>& read_more);

/// Maps the corpus that move_to_files has written to `directory`, instead of the pairs that `corpus` has.
/// Returns false if it was written with another key, or is not complete.
bool open_corpus(Corpus& corpus, const std::filesystem::path& directory, const std::string& key);

}  // namespace glassformer

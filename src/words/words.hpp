#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "glassformer/numerics/index.hpp"

/// Text as words between white space: what a word tokenizer learns from, without its files.
namespace glassformer {

/// The words of a text (UTF-8), split as by Python's `str.split()`, at Unicode white space. The views point into
/// `text`.
std::vector<std::string_view> split_words(std::string_view text);

using WordCounts = std::unordered_map<std::string, Index>;  ///< how often each word occurs
using WordCount = std::pair<std::string, Index>;            ///< one of them

/// Adds the words of a text to the counts. The special words (see WordVocabulary) do not count.
void count_words(std::string_view text, WordCounts& counts);

/// The words that occur at least `min_frequency` times, most frequent first, ties in byte order.
std::vector<WordCount> frequent_words(const WordCounts& counts, Index min_frequency);

}  // namespace glassformer

#include "glassformer/commands/translate_lines.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

/// Lines that are translated together, and what went wrong when the next one was read.
struct Chunk {
  std::vector<std::string> lines;
  bool has_more = true;  // false: the input has ended
  std::exception_ptr error;
};

/// The tokenizer's message does not say which line begins with an unknown language code; this does.
void check_language(const Tokenizer& tokenizer, const std::string& line, const LineReader& input) try {
  tokenizer.encode(line);
} catch (const UserError& error) {
  throw UserError(fmt::format("{}:{}: {}", input.path().string(), input.lines_read(), error.what()));
}

/// Reads up to `most` lines. Lines that have already arrived are translated together, to keep all threads busy. Lines
/// that are typed, or sent by a program that waits for each answer, are translated one by one.
Chunk read_chunk(LineReader& input, Index most, const Tokenizer& tokenizer) {
  Chunk chunk;
  std::string line;
  try {
    while (std::ssize(chunk.lines) < most && (chunk.has_more = input.next(line))) {
      if (line.starts_with(">>")) {
        check_language(tokenizer, line, input);
      }
      chunk.lines.push_back(line);
      if (!input.has_line_waiting()) {
        break;
      }
    }
  } catch (...) {
    chunk.error = std::current_exception();
  }
  return chunk;
}

/// If there is not enough memory for all lines at once, translates them one by one, up to the one that needs too much.
void translate_chunk(const LoadedModel& loaded, const DecodingSettings& decoding, std::span<const std::string> lines,
                     const UseTranslations& use) {
  const auto translate = [&](std::span<const std::string> some) {
    return translate_n_best(loaded.model, loaded.tokenizers, decoding, some);
  };
  std::vector<std::vector<Translation>> translations;
  try {
    translations = translate(lines);
  } catch (const std::bad_alloc&) {
    for (const std::string& line : lines) {
      use({&line, 1}, translate({&line, 1}));
    }
    return;
  }
  use(lines, translations);
}

/// How many lines to read next. A signal stops us only between chunks, so a slow model gets shorter ones.
Index next_size(Index size, std::chrono::steady_clock::duration taken, Index batch) {
  const bool is_slow = taken > std::chrono::seconds(20);
  return is_slow ? std::max<Index>(8, size / 2) : std::min(64 * batch, 2 * size);
}

}  // namespace

void translate_all(const LoadedModel& loaded, const DecodingSettings& decoding, LineReader& input,
                   const UseTranslations& use) {
  Index size = std::min<Index>(2048, 32 * decoding.batch);
  for (bool more = true; more;) {
    const Chunk chunk = read_chunk(input, size, *loaded.tokenizers.source);
    more = chunk.has_more;
    const auto start = std::chrono::steady_clock::now();
    translate_chunk(loaded, decoding, chunk.lines, use);
    if (chunk.error) {
      std::rethrow_exception(chunk.error);
    }
    size = next_size(size, std::chrono::steady_clock::now() - start, decoding.batch);
  }
}

}  // namespace glassformer

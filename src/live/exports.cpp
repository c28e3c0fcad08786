// The functions that the page's script calls (src/web/engine). Compiled only for WebAssembly; everything behind them is
// also part of the program, where the tests call it.
//
// Text and bytes come as an address in memory that allocate() has returned, and a size. Several lines are one text with
// line breaks. A result is JSON, at the returned address until the next call; result_size() says how long it is. If a
// call is refused, page_refuse throws a JavaScript error, which leaves the function without returning.
#ifdef __wasm__

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/live/engine.hpp"
#include "glassformer/numerics/vectors.hpp"
#include "glassformer/verification/self_test.hpp"

// There is one thread, and it never ends.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

namespace {

using namespace glassformer;

Engine engine;
std::string result;

const char* answer(const Engine::Json& json) {
  result = json.dump(-1, ' ', false, Engine::Json::error_handler_t::replace);
  return result.data();
}

const char* answer(std::uint64_t digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += kDigits[digest >> shift & 15];
  }
  return answer(Engine::Json(text));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Whether multiply_add rounds once: then the square of 1 + 2^-12 keeps its last bit.
template <class Scalar>
bool is_fused() {
  constexpr int kPlaces = sizeof(Scalar) == 4 ? 12 : 27;
  volatile Scalar x = 1 + std::ldexp(Scalar{1}, -kPlaces);
  const Scalar number = x;
  const Scalar square = number * number;
  const auto all = [](Scalar value) { return Vector<Scalar>{} + value; };
  return multiply_add<Scalar>(all(number), all(number), all(-square))[0] != 0;
}

}  // namespace

#define EXPORT(name) extern "C" [[clang::export_name(#name)]]

EXPORT(allocate) void* allocate(std::size_t size) { return std::malloc(size); }
EXPORT(release) void release(void* memory) { std::free(memory); }
EXPORT(result_size) std::size_t result_size() { return result.size(); }

EXPORT(about) const char* about() {
  Engine::Json json = Engine::about();
  json["fused"] = is_fused<float>() && is_fused<double>();
  return answer(json);
}
EXPORT(self_test) const char* self_test() { return answer(arithmetic_digest()); }
EXPORT(settings) const char* settings() { return answer(Engine::settings()); }

EXPORT(create)
const char* create(const char* settings, std::size_t settings_size, const char* source, std::size_t source_size,
                   const char* target, std::size_t target_size, int rank, int ranks) {
  return answer(engine.create({settings, settings_size}, lines_of({source, source_size}),
                              lines_of({target, target_size}), rank, ranks));
}
EXPORT(tokens) const char* tokens(int source, const char* sentence, std::size_t size) {
  return answer(engine.tokens(source != 0, {sentence, size}));
}
EXPORT(step) const char* step() { return answer(engine.step()); }
EXPORT(run_shards) void run_shards() { engine.run_shards(); }
EXPORT(add_shards) void add_shards(float* sum, std::size_t count) { engine.add_shards({sum, count}); }
EXPORT(shard_results) const std::byte* shard_results() {
  const std::span<const std::byte> bytes = engine.shard_results();
  result.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return reinterpret_cast<const std::byte*>(result.data());
}
EXPORT(receive)
void receive(const float* sum, std::size_t bytes, const std::byte* results, std::size_t size) {
  engine.receive({sum, bytes / sizeof(float)}, {results, size});
}
EXPORT(trace)
const char* trace(const char* sources, std::size_t sources_size, const char* targets, std::size_t targets_size,
                  const std::uint8_t* masks, std::size_t cells) {
  return answer(engine.trace(lines_of({sources, sources_size}), lines_of({targets, targets_size}), {masks, cells}));
}
EXPORT(translate)
const char* translate(const char* sources, std::size_t size, const char* search, std::size_t search_size) {
  return answer(engine.translate(lines_of({sources, size}), {search, search_size}));
}
EXPORT(search_tree)
const char* search_tree(const char* source, std::size_t size, const char* search, std::size_t search_size) {
  return answer(engine.search_tree({source, size}, {search, search_size}));
}
EXPORT(update_numbers) const char* update_numbers(const char* tensor, std::size_t size) {
  return answer(engine.update_numbers({tensor, size}));
}
EXPORT(turn_off_heads) void turn_off_heads(const char* heads, std::size_t size) {
  engine.turn_off_heads(lines_of({heads, size}));
}
EXPORT(snapshot) const char* snapshot() {
  const std::vector<std::byte> bytes = engine.snapshot();
  result.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return result.data();
}
EXPORT(restore) void restore(const std::byte* snapshot, std::size_t size) { engine.restore({snapshot, size}); }
EXPORT(digest) const char* digest() { return answer(engine.digest()); }
EXPORT(weights) const char* weights() { return answer(engine.weights()); }

#endif

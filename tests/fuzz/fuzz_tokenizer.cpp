#include "fuzz/input.hpp"
#include "glassformer/text/tokenizer.hpp"

using namespace glassformer;

/// A vocabulary file: if it is accepted, it can encode a text and decode the result.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const std::filesystem::path file = fuzz::as_file("source.vocab.json", data, size);
    const auto tokenizer = load_words(file.parent_path(), "source");
    static_cast<void>(tokenizer->decode(tokenizer->encode("the small dog <s> sees a house .")));
    for (Id id = 0; id < tokenizer->vocabulary_size(); ++id) {
      static_cast<void>(tokenizer->piece(id));
    }
  });
  return 0;
}

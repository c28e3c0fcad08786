#include "fuzz/input.hpp"
#include "glassformer/checkpoint/safetensors.hpp"

using namespace glassformer;

/// A safetensors file: if it is accepted, every tensor can be read to its last number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const Safetensors file(fuzz::as_file("model.safetensors", data, size));
    for (const Safetensors::Tensor& tensor : file.tensors()) {
      static_cast<void>(file.read(tensor));
    }
  });
  return 0;
}

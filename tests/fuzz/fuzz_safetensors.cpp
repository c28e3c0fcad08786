#include "checkpoint/safetensors.hpp"
#include "fuzz/input.hpp"

using namespace glassformer;

/// A safetensors file: if it is accepted, every tensor can be read to its last number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const Safetensors file = read_safetensors(fuzz::as_file("model.safetensors", data, size));
    volatile float last = 0;
    for (const TensorPlace& tensor : file.tensors) {
      if (tensor.size > 0) last = file.values_of(tensor).back();
    }
    static_cast<void>(last);
  });
  return 0;
}

#include "glassformer/marian/marian_tensors.hpp"

#include <algorithm>

namespace glassformer {
namespace {

// transformers 4 refuses a model whose source and target tables have different sizes, so in the file we pad the smaller
// vocabulary's tables with rows of zeros. The bias of the padding's logits makes its probability 0 in single precision.
// The bias is a power of two within the range of half precision and bfloat16, so it is exact there too.
constexpr float kPaddingBias = -8192;

bool has_entry_per_token(Role role) {
  return role == Role::source_embedding || role == Role::target_embedding || role == Role::output ||
         role == Role::output_bias;
}

constexpr Tied kTied[] = {{"model.shared.weight", "lm_head.weight"},
                          {"model.shared.weight", "model.encoder.embed_tokens.weight"},
                          {"model.shared.weight", "model.decoder.embed_tokens.weight"},
                          {"model.decoder.embed_tokens.weight", "lm_head.weight"}};

}  // namespace

std::vector<StoredTensor> stored_tensors(const std::vector<TensorPlace>& tensors) {
  Index vocabulary = 0;  // the larger one
  for (const TensorPlace& tensor : tensors) {
    if (has_entry_per_token(tensor.role)) {
      vocabulary = std::max(vocabulary, tensor.shape.front());
    }
  }
  std::vector<StoredTensor> result;
  for (const TensorPlace& tensor : tensors) {
    const bool is_bias = tensor.role == Role::output_bias;
    std::vector<Index> shape = tensor.shape;
    if (is_bias) {
      shape = {1, tensor.size};  // Marian stores it as a matrix with one row
    }
    StoredTensor& entry = result.emplace_back(StoredTensor{shape, shape, is_bias ? kPaddingBias : 0});
    if (has_entry_per_token(tensor.role)) {
      entry.padded_shape[is_bias ? 1 : 0] = vocabulary;
    }
  }
  return result;
}

std::span<const Tied> tied_names() { return kTied; }

bool is_position_table(std::string_view name) {
  return name == "model.encoder.embed_positions.weight" || name == "model.decoder.embed_positions.weight";
}

}  // namespace glassformer

#include "layers/encoded_sources.hpp"

#include <utility>

#include "numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void EncodedSources<Scalar>::start(std::size_t layers, std::vector<Mask> masks) {
  key_value_.resize(layers);
  sentences_.clear();
  rows_ = 0;
  for (Mask& mask : masks) {
    const Index keys = mask.keys();
    sentences_.push_back({rows_, std::move(mask)});
    rows_ += keys;
  }
}

template <std::floating_point Scalar>
void EncodedSources<Scalar>::store(std::size_t layer, MatrixView<const Scalar> key_value) {
  const Index padded_length = key_value.rows() / size();
  key_value_[layer].resize(rows_, key_value.cols());
  for (Index b = 0; b < size(); ++b) {
    const auto& [first_row, mask] = sentence(b);
    copy(key_value.middle_rows(b * padded_length, mask.keys()),
         key_value_[layer].view().middle_rows(first_row, mask.keys()));
  }
}

template class EncodedSources<float>;
template class EncodedSources<double>;

}  // namespace glassformer

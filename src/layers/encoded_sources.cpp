#include "glassformer/layers/encoded_sources.hpp"

#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void EncodedSources<Scalar>::store(MatrixView<const Scalar> key_value, std::span<const Mask> masks) {
  masks_ = masks;
  first_rows_.clear();
  Index rows = 0;
  for (const Mask& of_sentence : masks) {
    first_rows_.push_back(rows);
    rows += of_sentence.keys();
  }

  const Index padded_length = key_value.rows() / std::ssize(masks);
  key_value_.resize(rows, key_value.cols());
  for (Index b = 0; b < std::ssize(masks); ++b) {
    copy(key_value.middle_rows(b * padded_length, mask(b).keys()),
         key_value_.view().middle_rows(first_rows_[static_cast<std::size_t>(b)], mask(b).keys()));
  }
}

template class EncodedSources<float>;
template class EncodedSources<double>;

}  // namespace glassformer

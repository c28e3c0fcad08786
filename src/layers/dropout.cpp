#include "layers/dropout.hpp"

#include <algorithm>
#include <cassert>

#include "numerics/random.hpp"
#include "numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
Dropout<Scalar>::Dropout(const Part<Scalar>& part, double rate, Index groups)
    : name_(part.name()), rate_(rate), groups_(groups), site_(part.next_site()) {}

template <std::floating_point Scalar>
void Dropout<Scalar>::forward(const Pass& pass, MatrixView<const Scalar> x, MatrixView<Scalar> y) {
  if (!is_active(pass)) {
    if (y.data() != x.data()) {
      copy(x, y);
    }
    return pass.record_copy(x, y);
  }
  draw(pass, x.rows(), x.cols());
  const auto factor = static_cast<Scalar>(1 / (1 - rate_));
  for (Index n = 0; n < x.rows(); ++n) {
    keep(x.row(n), kept_.row(n), factor, y.row(n));
  }
  pass.record(name_, "y [N, D] = {x} * {kept [N, D]} / (1 - rate)", y, x, kept_);
}

template <std::floating_point Scalar>
void Dropout<Scalar>::backward(const Pass& pass, MatrixView<const Scalar> d_y, MatrixView<Scalar> d_x) {
  if (!is_active(pass)) {
    if (d_x.data() != d_y.data()) {
      copy(d_y, d_x);
    }
    return pass.record_copy(d_y, d_x);
  }
  // y = x * kept / (1 - rate).  Each x affects only its own y:  d_x = d_y * dy/dx = d_y * kept / (1 - rate)
  const auto factor = static_cast<Scalar>(1 / (1 - rate_));
  for (Index n = 0; n < d_y.rows(); ++n) {
    keep(d_y.row(n), kept_.row(n), factor, d_x.row(n));
  }
  pass.record(name_, "d_x [N, D] = {d_y} * {kept} / (1 - rate)", d_x, d_y, kept_);
}

/// A random row is identified by its sentence, its group and its position in the group. None of these depends on the
/// padding of the batch, so neither do the numbers drawn.
template <std::floating_point Scalar>
void Dropout<Scalar>::draw(const Pass& pass, Index rows, Index cols) {
  const auto sentences = static_cast<Index>(pass.sentences.size());
  assert(sentences > 0 && rows % (sentences * groups_) == 0);
  const Index length = rows / (sentences * groups_);
  kept_.resize(rows, cols);
  RandomRow random{.seed = pass.seed, .update = pass.update, .site = site_};
  for (Index part = 0; part < sentences * groups_; ++part) {
    random.sentence = static_cast<std::uint32_t>(pass.sentences[static_cast<std::size_t>(part / groups_)]);
    for (Index position = 0; position < length; position += kRowsAtOnce) {
      random.row = row_in_group(part % groups_, position);
      const Index count = std::min(kRowsAtOnce, length - position);
      draw_kept(random, rate_, kept_.view().middle_rows(part * length + position, count));
    }
  }
}

template class Dropout<float>;
template class Dropout<double>;

}  // namespace glassformer

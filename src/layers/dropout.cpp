#include "glassformer/layers/dropout.hpp"

#include <algorithm>
#include <cassert>

#include "glassformer/numerics/random.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
Dropout<Scalar>::Dropout(const Part<Scalar>& part, double rate, Index groups)
    : name_(part.name()), rate_(rate), groups_(groups), site_(part.next_site()) {}

template <std::floating_point Scalar>
const Buffer<Scalar>& Dropout<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x) {
  if (!is_active(pass)) {
    return x;
  }
  draw(pass, x.rows(), x.cols());
  y_.resize_like(x);
  keep_rows(x, y_);
  pass.record(name_, "y [N, D] = {x} * {kept [N, D]} / (1 - rate)", y_, x, kept_);
  return y_;
}

template <std::floating_point Scalar>
const Buffer<Scalar>& Dropout<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  if (!is_active(pass)) {
    return d_y;
  }
  // y = x * kept / (1 - rate).  Each x affects only its own y:  d_x = d_y * dy/dx = d_y * kept / (1 - rate)
  d_x_.resize_like(d_y);
  keep_rows(d_y, d_x_);
  pass.record(name_, "d_x [N, D] = {d_y} * {kept} / (1 - rate)", d_x_, d_y, kept_);
  return d_x_;
}

template <std::floating_point Scalar>
void Dropout<Scalar>::forward_in_place(const Pass& pass, Buffer<Scalar>& x) {
  if (!is_active(pass)) {
    return;
  }
  draw(pass, x.rows(), x.cols());
  Buffer<Scalar>& y = x;
  keep_rows(x, y);
  pass.record(name_, "y [N, D] = {x} * {kept [N, D]} / (1 - rate)", y, x, kept_);
}

template <std::floating_point Scalar>
void Dropout<Scalar>::backward_in_place(const Pass& pass, Buffer<Scalar>& d_y) {
  if (!is_active(pass)) {
    return;
  }
  Buffer<Scalar>& d_x = d_y;
  keep_rows(d_y, d_x);
  pass.record(name_, "d_x [N, D] = {d_y} * {kept} / (1 - rate)", d_x, d_y, kept_);
}

/// to = from * kept / (1 - rate)
template <std::floating_point Scalar>
void Dropout<Scalar>::keep_rows(const Buffer<Scalar>& from, Buffer<Scalar>& to) const {
  const auto factor = static_cast<Scalar>(1 / (1 - rate_));
  for (Index n = 0; n < from.rows(); ++n) {
    keep(from.row(n), kept_.row(n), factor, to.row(n));
  }
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

#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "glassformer/layers/part.hpp"
#include "glassformer/layers/pass.hpp"

namespace glassformer {

/// Inverted dropout (Srivastava et al. 2014): in training, each number is set to 0 with probability `rate` and divided
/// by 1 - rate otherwise, so that its expectation stays the same:
///
///   y = x * kept / (1 - rate)        kept = 0 or 1
///
/// (16-bit random numbers decide, so the true probability is the multiple of 2^-16 nearest to `rate`. The factor is
/// still 1 / (1 - rate).) Outside training, y = x. N = rows, D = columns.
template <std::floating_point Scalar>
class Dropout {
 public:
  /// A sentence's rows form `groups` equal parts: one per head for attention weights, just one for token matrices.
  Dropout(const Part<Scalar>& part, double rate, Index groups = 1);

  /// Whether this pass drops numbers.
  bool is_active(const Pass& pass) const { return pass.training && rate_ > 0; }
  /// Maps x [N, D] to y [N, D]. That is x itself if the pass drops nothing.
  const Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x);
  const Buffer<Scalar>& forward(const Pass& pass, Buffer<Scalar>&& x) = delete;
  /// Maps d_y [N, D] to d_x [N, D]. That is d_y itself if the pass drops nothing.
  const Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y);
  const Buffer<Scalar>& backward(const Pass& pass, Buffer<Scalar>&& d_y) = delete;

  /// Turns x into y, in place.
  void forward_in_place(const Pass& pass, Buffer<Scalar>& x);
  /// Turns d_y into d_x, in place.
  void backward_in_place(const Pass& pass, Buffer<Scalar>& d_y);

 private:
  void draw(const Pass& pass, Index rows, Index cols);
  void keep_rows(const Buffer<Scalar>& from, Buffer<Scalar>& to) const;

  std::string name_;
  double rate_;
  Index groups_;
  Site site_;
  Buffer<std::uint8_t> kept_;  // [N, D]
  Buffer<Scalar> y_, d_x_;     // [N, D] unless in place
};

}  // namespace glassformer

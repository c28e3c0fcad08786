#include "layers/embedding.hpp"

#include <cassert>
#include <cmath>

namespace glassformer {
namespace {

template <std::floating_point Scalar>
Eigen::Map<const Matrix<Scalar>> as_matrix(const Scalar& number) {
  return {&number, 1, 1};
}

}  // namespace

template <std::floating_point Scalar>
Scalar Embedding<Scalar>::scale_of(Index width, bool scaled) {
  return scaled ? std::sqrt(static_cast<Scalar>(width)) : Scalar{1};
}

template <std::floating_point Scalar>
void ensure_positions(Index length, Index width, Buffer<Scalar>& positions) {
  assert(width % 2 == 0);
  if (positions.rows() >= length && positions.cols() == width) return;
  const Index rows = std::max(length, 2 * positions.rows());
  positions.resize(rows, width);
  for (Index t = 0; t < rows; ++t) {
    for (Index i = 0; i < width / 2; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(width);
      const double angle = static_cast<double>(t) * std::pow(10000.0, exponent);
      positions(t, i) = static_cast<Scalar>(std::sin(angle));
      positions(t, width / 2 + i) = static_cast<Scalar>(std::cos(angle));
    }
  }
}

template <std::floating_point Scalar>
void Embedding<Scalar>::embed(const Parameters& table, Id id, Scalar scale, ConstMatrixRef<Scalar> positions,
                              Index place, Eigen::Ref<RowVector<Scalar>> x) {
  assert(0 <= id && id < table.rows());
  x = scale * table.row(id) + positions.row(place);
}

template <std::floating_point Scalar>
void Embedding<Scalar>::forward(const Parameters& table, const IdMatrix& ids, Id pad, bool scaled, double dropout,
                                const Pass& pass, Site site, Cache& cache, const Recorder& recorder) {
  const Index length = ids.cols();
  const Scalar scale = scale_of(table.cols(), scaled);
  ensure_positions(length, table.cols(), cache.positions);
  cache.output.resize(ids.size(), table.cols());
  for (Index n = 0; n < ids.size(); ++n) {
    const Id id = ids(n / length, n % length);
    if (id == pad) {
      cache.output.row(n).setZero();
    } else {
      embed(table, id, scale, cache.positions, n % length, cache.output.row(n));
    }
  }
  recorder.record("x [N, D] = {scale [1, 1]} * {table [V, D]}[{id [B, T]}] + {position [T, D]}[t], 0 at padding",
                  cache.output, as_matrix(scale), table, ids, cache.positions.topRows(length));
  Dropout<Scalar>::forward(dropout, pass, site, 1, cache.output, cache.dropout, recorder.at("dropout"));
}

template <std::floating_point Scalar>
void Embedding<Scalar>::backward(const IdMatrix& ids, Id pad, bool scaled, Cache& cache, ConstMatrixRef<Scalar> d_x,
                                 Parameters& grad, const Recorder& recorder) {
  // x = dropout(embedded)
  cache.d_embedded.resize_like(d_x);
  Dropout<Scalar>::backward(cache.dropout, d_x, cache.d_embedded, recorder.at("dropout"));
  // embedded = scale * table[id] + position.  An id that occurs twice gets both gradients.
  const Scalar scale = scale_of(grad.cols(), scaled);
  for (Index n = 0; n < ids.size(); ++n) {
    const Id id = ids(n / ids.cols(), n % ids.cols());
    if (id != pad) grad.row(id) += scale * cache.d_embedded.row(n);
  }
  recorder.record("d_table [V, D] += {scale [1, 1]} * {d_x}[n] in the row {id}[n], of every token n but padding", grad,
                  as_matrix(scale), cache.d_embedded, ids);
}

template struct Embedding<float>;
template struct Embedding<double>;
template void ensure_positions<float>(Index, Index, Buffer<float>&);
template void ensure_positions<double>(Index, Index, Buffer<double>&);

}  // namespace glassformer

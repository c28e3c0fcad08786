#include "glassformer/layers/embedding.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "glassformer/numerics/functions.hpp"

namespace glassformer {

template <std::floating_point Scalar>
Embedding<Scalar>::Embedding(const Part<Scalar>& part, MatrixParameter<Scalar> shared_table,
                             const EmbeddingSettings& settings)
    : table(shared_table),
      name_(part.name()),
      pad_(settings.pad),
      scale_(settings.scaled ? std::sqrt(static_cast<Scalar>(table.cols())) : Scalar{1}),
      has_positions_(settings.positions),
      dropout_(part.at("dropout"), settings.dropout) {
  assert(table.cols() % 2 == 0);
}

template <std::floating_point Scalar>
void Embedding<Scalar>::ensure_positions(Index length) {
  if (positions_.rows() >= length) {
    return;
  }
  const Index D = table.cols();
  positions_.resize(std::max(length, 2 * positions_.rows()), D);
  if (!has_positions_) {
    positions_.fill(0);
    return;
  }
  for (Index t = 0; t < positions_.rows(); ++t) {
    for (Index i = 0; i < D / 2; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(D);
      const double angle = static_cast<double>(t) * pow(10000.0, exponent);
      positions_(t, i) = static_cast<Scalar>(sin(angle));
      positions_(t, D / 2 + i) = static_cast<Scalar>(cos(angle));
    }
  }
}

template <std::floating_point Scalar>
void Embedding<Scalar>::embed(Id id, Index t, RowView<Scalar> x) {
  assert(0 <= id && id < table.rows());
  ensure_positions(t + 1);
  const auto row = table.value().row(id);
  const auto position = std::as_const(positions_).row(t);
  for (Index j = 0; j < x.size(); ++j) {
    x[j] = scale_ * row[j] + position[j];
  }
}

template <std::floating_point Scalar>
const Buffer<Scalar>& Embedding<Scalar>::forward(const Pass& pass, const IdMatrix& ids) {
  const Index T = ids.cols();
  ids_ = &ids;
  ensure_positions(T);
  x_.resize(ids.rows() * T, table.cols());
  for (Index b = 0; b < ids.rows(); ++b) {
    for (Index t = 0; t < T; ++t) {
      const auto x = x_.row(b * T + t);
      if (ids(b, t) == pad_) {
        std::ranges::fill(x, Scalar{0});
      } else {
        embed(ids(b, t), t, x);
      }
    }
  }
  pass.record(name_,
              "embedded [N, D] = {scale [1, 1]} * {table [V, D]}[{id [B, T]}] + {position [T, D]}[t], 0 at padding", x_,
              MatrixView<const Scalar>(&scale_, 1, 1), table.value(), ids, positions_.view().middle_rows(0, T));
  dropout_.forward_in_place(pass, x_);
  return x_;
}

template <std::floating_point Scalar>
void Embedding<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_x) {
  const IdMatrix& ids = *ids_;
  // x = dropout(embedded)
  const Buffer<Scalar>& d_embedded = dropout_.backward(pass, d_x);  // [N, D]
  // embedded_n = scale * table[id_n] + position.  Row v of the table is used by every token n whose id is v, so
  //   d_table_v = sum over the tokens n with id_n = v of scale * d_embedded_n
  // Padding rows are set to 0 without reading the table, so they give it no gradient.
  auto d_table = table.gradient();
  for (Index b = 0; b < ids.rows(); ++b) {
    for (Index t = 0; t < ids.cols(); ++t) {
      if (ids(b, t) != pad_) {
        d_table.row(ids(b, t)).eigen() += scale_ * d_embedded.row(b * ids.cols() + t).eigen();
      }
    }
  }
  pass.record(name_, "d_table [V, D] += {scale [1, 1]} * {d_embedded}[n] in row {id}[n], for every token n but padding",
              d_table, MatrixView<const Scalar>(&scale_, 1, 1), d_embedded, ids);
}

template class Embedding<float>;
template class Embedding<double>;

}  // namespace glassformer

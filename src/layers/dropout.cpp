#include "layers/dropout.hpp"

#include <cassert>

#include "numerics/random.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void Dropout<Scalar>::forward(double rate, const Pass& pass, Site site, Index groups, MatrixRef<Scalar> x,
                              Cache& cache) {
  cache.active = pass.training && rate > 0;
  if (!cache.active) return;

  // A random row is known by its sentence, its group and its place in the group. None of them depends on how far
  // the batch is padded, hence neither do the numbers drawn.
  cache.scale.resize(x.rows(), x.cols());
  const auto sentences = static_cast<Index>(pass.sentences.size());
  assert(sentences > 0 && x.rows() % (sentences * groups) == 0);
  const Index rows = x.rows() / (sentences * groups);
  for (Index r = 0; r < x.rows(); ++r) {
    const Index sentence = r / (groups * rows), group = r / rows % groups, place = r % rows;
    fill_dropout({.seed = pass.seed,
                  .update = pass.update,
                  .site = site,
                  .sentence = static_cast<std::uint32_t>(pass.sentences[static_cast<std::size_t>(sentence)]),
                  .row = static_cast<std::uint32_t>(group << 20 | place)},
                 rate, x.cols(), cache.scale.row(r).data());
  }
  x.array() *= cache.scale.array();
}

template <std::floating_point Scalar>
void Dropout<Scalar>::backward(const Cache& cache, MatrixRef<Scalar> d_y) {
  // y = x * scale
  if (cache.active) d_y.array() *= cache.scale.array();
}

template struct Dropout<float>;
template struct Dropout<double>;

}  // namespace glassformer

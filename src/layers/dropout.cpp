#include "layers/dropout.hpp"

#include <algorithm>
#include <cassert>

#include "numerics/random.hpp"

namespace glassformer {
namespace {

/// x = x * kept * scale
template <class Scalar>
void scale_kept(const typename Dropout<Scalar>::Cache& cache, MatrixRef<Scalar> x) {
  const Scalar scale = cache.scale;
  for (Index r = 0; r < x.rows(); ++r) {
    Scalar* const row = x.row(r).data();
    const std::uint8_t* const kept = cache.kept.row(r).data();
    for (Index j = 0; j < x.cols(); ++j) row[j] *= static_cast<Scalar>(kept[j]) * scale;
  }
}

}  // namespace

template <std::floating_point Scalar>
void Dropout<Scalar>::forward(double rate, const Pass& pass, Site site, Index groups, MatrixRef<Scalar> x,
                              Cache& cache) {
  cache.active = pass.training && rate > 0;
  if (!cache.active) return;

  // A random row is known by its sentence, its group and its place in the group. None of them depends on how far
  // the batch is padded, hence neither do the numbers drawn.
  cache.scale = static_cast<Scalar>(1 / (1 - rate));
  cache.kept.resize(x.rows(), x.cols());
  const auto sentences = static_cast<Index>(pass.sentences.size());
  assert(sentences > 0 && x.rows() % (sentences * groups) == 0);
  const Index rows = x.rows() / (sentences * groups);
  RandomRow random{.seed = pass.seed, .update = pass.update, .site = site};
  for (Index part = 0; part < sentences * groups; ++part) {
    random.sentence = static_cast<std::uint32_t>(pass.sentences[static_cast<std::size_t>(part / groups)]);
    for (Index place = 0; place < rows; place += kRowsAtOnce) {
      random.row = static_cast<std::uint32_t>(part % groups << 20 | place);
      draw_kept(random, rate, cache.kept.middleRows(part * rows + place, std::min(kRowsAtOnce, rows - place)));
    }
  }
  scale_kept<Scalar>(cache, x);
}

template <std::floating_point Scalar>
void Dropout<Scalar>::backward(const Cache& cache, MatrixRef<Scalar> d_y) {
  // y = x * kept / (1 - rate)
  if (cache.active) scale_kept<Scalar>(cache, d_y);
}

template struct Dropout<float>;
template struct Dropout<double>;

}  // namespace glassformer

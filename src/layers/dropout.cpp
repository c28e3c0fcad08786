#include "layers/dropout.hpp"

#include <algorithm>
#include <cassert>

#include "numerics/random.hpp"

namespace glassformer {
namespace {

/// Fills in what a pass keeps of each row.
template <class Scalar>
void draw(double rate, const Pass& pass, Site site, Index groups, Index N, Index D,
          typename Dropout<Scalar>::Cache& cache) {
  // A random row is known by its sentence, its group and its place in the group. None of them depends on how far
  // the batch is padded, hence neither do the numbers drawn.
  cache.scale = static_cast<Scalar>(1 / (1 - rate));
  cache.kept.resize(N, D);
  const auto sentences = static_cast<Index>(pass.sentences.size());
  assert(sentences > 0 && N % (sentences * groups) == 0);
  const Index rows = N / (sentences * groups);
  RandomRow random{.seed = pass.seed, .update = pass.update, .site = site};
  for (Index part = 0; part < sentences * groups; ++part) {
    random.sentence = static_cast<std::uint32_t>(pass.sentences[static_cast<std::size_t>(part / groups)]);
    for (Index place = 0; place < rows; place += kRowsAtOnce) {
      random.row = static_cast<std::uint32_t>(part % groups << 20 | place);
      draw_kept(random, rate, cache.kept.middleRows(part * rows + place, std::min(kRowsAtOnce, rows - place)));
    }
  }
}

/// y = x * kept * scale, where y may be x; without dropout, y = x.
template <class Scalar>
void keep(const typename Dropout<Scalar>::Cache& cache, ConstMatrixRef<Scalar> x, MatrixRef<Scalar> y) {
  if (!cache.active) {
    if (y.data() != x.data()) y = x;
    return;
  }
  const Scalar scale = cache.scale;
  const Index D = x.cols();
  for (Index r = 0; r < x.rows(); ++r) {
    const Scalar* const from = x.row(r).data();
    const std::uint8_t* const kept = cache.kept.row(r).data();
    Scalar* const to = y.row(r).data();
#ifndef __clang__  // which does not know that pragma
#pragma GCC ivdep
#endif
    for (Index j = 0; j < D; ++j) to[j] = from[j] * (static_cast<Scalar>(kept[j]) * scale);
  }
}

}  // namespace

template <std::floating_point Scalar>
void Dropout<Scalar>::forward(double rate, const Pass& pass, Site site, Index groups, ConstMatrixRef<Scalar> x,
                              MatrixRef<Scalar> y, Cache& cache, const Recorder& recorder) {
  cache.active = pass.training && rate > 0;
  if (cache.active) draw<Scalar>(rate, pass, site, groups, x.rows(), x.cols(), cache);
  keep<Scalar>(cache, x, y);
  if (!cache.active) return recorder.copied(x, y);
  recorder.record("y [N, D] = {x} * {kept [N, D]} / (1 - rate)", y, x, cache.kept);
}

template <std::floating_point Scalar>
void Dropout<Scalar>::backward(const Cache& cache, ConstMatrixRef<Scalar> d_y, MatrixRef<Scalar> d_x,
                               const Recorder& recorder) {
  // y = x * kept / (1 - rate)
  keep<Scalar>(cache, d_y, d_x);
  if (!cache.active) return recorder.copied(d_y, d_x);
  recorder.record("d_x [N, D] = {d_y} * {kept} / (1 - rate)", d_x, d_y, cache.kept);
}

template struct Dropout<float>;
template struct Dropout<double>;

}  // namespace glassformer

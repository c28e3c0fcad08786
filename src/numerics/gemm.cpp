#include "numerics/gemm.hpp"

#include <omp.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <type_traits>

#ifdef GLASSFORMER_ONEDNN
#include <dnnl.h>
#endif

namespace glassformer {
namespace {

#ifdef GLASSFORMER_ONEDNN
/// oneDNN asks OpenMP how many threads it may use, and splits a product by their number. One is the answer here.
class OneThread {
 public:
  OneThread() : threads_(omp_get_max_threads()) {
    if (threads_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (threads_ != 1) omp_set_num_threads(threads_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

void dnnl_product(char transpose_a, char transpose_b, Index inner, ConstMatrixRef<float> a, ConstMatrixRef<float> b,
                  MatrixRef<float>& c, Result result) {
  if (inner == 0) {  // an empty sum, which oneDNN refuses
    if (result == Result::overwrite) c.setZero();
    return;
  }
  const OneThread one_thread;
  const dnnl_status_t status =
      dnnl_sgemm(transpose_a, transpose_b, c.rows(), c.cols(), inner, 1.0F, a.data(), a.outerStride(), b.data(),
                 b.outerStride(), result == Result::add ? 1.0F : 0.0F, c.data(), c.outerStride());
  if (status != dnnl_success) {
    throw std::runtime_error("oneDNN refuses a matrix product: status " + std::to_string(status));
  }
}

/// Whether oneDNN uses AVX-512: the processor may have it, and DNNL_MAX_CPU_ISA forbid it.
bool has_avx512() {
  static const bool has = (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  return has;
}

/// How many rows of A B^T one call may compute. oneDNN has two sorts of kernels, those that first copy their operands
/// and those that do not, and chooses by the size of the product. From 200 rows on, another row more may change the
/// kernel. With AVX-512 that mostly does no harm: either the strides say that operands are copied anyhow, or both sorts
/// cut the sum over K in the same places. (True of oneDNN 2.6; of any other the tests tagged [batches] must say.)
Index rows_at_once(ConstMatrixRef<float> a, ConstMatrixRef<float> b) {
  const bool always_copied = a.outerStride() % 256 == 0 && b.outerStride() % 256 == 0;
  if (has_avx512() && (a.cols() <= 768 || always_copied)) return std::max<Index>(a.rows(), 1);
  return 192;
}

void dnnl_product_by_rows(ConstMatrixRef<float> a, ConstMatrixRef<float> b, MatrixRef<float> c, Result result) {
  const Index most = rows_at_once(a, b);
  for (Index first = 0; first < a.rows(); first += most) {
    const Index rows = std::min(most, a.rows() - first);
    MatrixRef<float> block = c.middleRows(first, rows);
    dnnl_product('N', 'T', a.cols(), a.middleRows(first, rows), b, block, result);
  }
}
#endif

template <class Scalar>
void eigen_product(const auto& product, MatrixRef<Scalar>& c, Result result) {
  if (result == Result::overwrite) c.setZero();
  c.noalias() += product;
}

}  // namespace

template <std::floating_point Scalar>
void multiply(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result) {
  assert(a.cols() == b.rows() && c.rows() == a.rows() && c.cols() == b.cols());
#ifdef GLASSFORMER_ONEDNN
  if constexpr (std::is_same_v<Scalar, float>) return dnnl_product('N', 'N', a.cols(), a, b, c, result);
#endif
  eigen_product<Scalar>(a * b, c, result);
}

template <std::floating_point Scalar>
void multiply_transposed_right(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c,
                               Result result) {
  assert(a.cols() == b.cols() && c.rows() == a.rows() && c.cols() == b.rows());
#ifdef GLASSFORMER_ONEDNN
  if constexpr (std::is_same_v<Scalar, float>) return dnnl_product_by_rows(a, b, c, result);
#endif
  eigen_product<Scalar>(a * b.transpose(), c, result);
}

template <std::floating_point Scalar>
void multiply_transposed_left(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c,
                              Result result) {
  assert(a.rows() == b.rows() && c.rows() == a.cols() && c.cols() == b.cols());
#ifdef GLASSFORMER_ONEDNN
  if constexpr (std::is_same_v<Scalar, float>) return dnnl_product('T', 'N', a.rows(), a, b, c, result);
#endif
  eigen_product<Scalar>(a.transpose() * b, c, result);
}

Index alike_rows() {
#ifdef GLASSFORMER_ONEDNN
  if (!has_avx512()) return 12;
#endif
  return 16;
}

std::string gemm_backend() {
#ifdef GLASSFORMER_ONEDNN
  const dnnl_version_t* const version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
#else
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
         std::to_string(EIGEN_MINOR_VERSION);
#endif
}

#define GLASSFORMER_INSTANTIATE(Scalar)                                                                          \
  template void multiply<Scalar>(ConstMatrixRef<Scalar>, ConstMatrixRef<Scalar>, MatrixRef<Scalar>, Result);     \
  template void multiply_transposed_right<Scalar>(ConstMatrixRef<Scalar>, ConstMatrixRef<Scalar>,                \
                                                  MatrixRef<Scalar>, Result);                                    \
  template void multiply_transposed_left<Scalar>(ConstMatrixRef<Scalar>, ConstMatrixRef<Scalar>,                 \
                                                 MatrixRef<Scalar>, Result);
GLASSFORMER_INSTANTIATE(float)
GLASSFORMER_INSTANTIATE(double)
#undef GLASSFORMER_INSTANTIATE

}  // namespace glassformer

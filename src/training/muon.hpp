#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "glassformer/numerics/arena.hpp"
#include "glassformer/numerics/matrix.hpp"
#include "glassformer/numerics/parallel.hpp"

namespace glassformer {

/// Working memory of orthogonalize.
template <std::floating_point Scalar>
struct NewtonSchulzMemory {
  Buffer<Scalar> gram;        // A [n, n], n the smaller side
  Buffer<Scalar> polynomial;  // b A + c A^2 [n, n]
  Buffer<Scalar> product;     // same shape as X
};

/// Every matrix has a singular value decomposition X = U S V^T: S is diagonal with singular values s >= 0, and the
/// columns of U are orthonormal, as are those of V. X maps each column of V to the corresponding column of U, times s.
/// This function brings every s close to 1 and keeps U and V, so X becomes approximately U V^T.
///
/// It scales X to Frobenius norm 1, so s <= 1. Then come five Newton-Schulz steps X = a X + (b A + c A^2) X, A = X X^T.
/// Since U^T U and V^T V are the identity, A X = U S^3 V^T, so each s becomes a s + b s^3 + c s^5. a = 3.4445,
/// b = -4.7750 and c = 2.0315 are from Jordan et al. (2024, kellerjordan.github.io/posts/muon), as in torch.optim.Muon.
/// Every s from 0.0015 to 1 ends at about 0.68 to 1.20, which works as well as 1; a smaller s grows by a factor
/// of at most a^5 = 485. If X has more rows than columns, X (b A + c A^2) with A = X^T X is equivalent and cheaper.
template <std::floating_point Scalar>
void orthogonalize(Buffer<Scalar>& x, NewtonSchulzMemory<Scalar>& memory);

/// Muon (Jordan et al. 2024) for the weight matrices W [rows, cols] of layers, with gradient G:
///
///   M = momentum M + (1 - momentum) G
///   U = orthogonalize(momentum M + (1 - momentum) G)                           (Nesterov momentum)
///   W = (1 - rate * weight_decay) W - rate * 0.2 sqrt(max(rows, cols)) U
///
/// Adam moves every number about equally far. Muon moves every direction of the map about equally far, even directions
/// that are rare in gradients. 0.2 sqrt(max(rows, cols)) gives its step the root mean square that is usual for Adam,
/// 0.2 * rate, so one rate suits both (Liu et al., arXiv 2502.16982; torch: adjust_lr_fn="match_rms_adamw").
template <std::floating_point Scalar>
class Muon {
 public:
  /// \param matrices  where the matrices W are in the parameters; Muon leaves all others alone
  Muon(double momentum, double weight_decay, std::vector<TensorPlace> matrices)
      : momentum_(momentum), weight_decay_(weight_decay), matrices_(std::move(matrices)) {}

  /// One update in place. \param scale  gradient factor from clipping   \param m  [parameters] holds M at W's positions
  void update(std::span<Scalar> parameters, std::span<const Scalar> gradient, Scalar scale, double rate,
              std::span<Scalar> m);

  const std::vector<TensorPlace>& matrices() const { return matrices_; }

 private:
  struct Workspace {
    Buffer<Scalar> direction;  // [rows, cols], becomes U
    NewtonSchulzMemory<Scalar> newton_schulz;
  };
  double momentum_, weight_decay_;
  std::vector<TensorPlace> matrices_;
  Workspaces<Workspace> workspaces_{[] { return std::make_unique<Workspace>(); }};
};

}  // namespace glassformer

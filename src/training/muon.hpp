#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "numerics/arena.hpp"
#include "numerics/matrix.hpp"
#include "numerics/parallel.hpp"

namespace glassformer {

/// Memory that orthogonalize works in.
template <std::floating_point Scalar>
struct NewtonSchulzMemory {
  Buffer<Scalar> gram, polynomial;  // [n, n], n the smaller side
  Buffer<Scalar> product;           // as the matrix itself
};

/// Every matrix has a singular value decomposition X = U S V^T: S is diagonal, its singular values s are >= 0, and the
/// columns of U are orthonormal, as are those of V. X maps each column of V to the same column of U, times its s.
/// This function brings every s near to 1 and leaves U and V: X becomes about U V^T.
///
/// Five times X = a X + (b A + c A^2) X with A = X X^T, begun with X of Frobenius norm 1, so that s <= 1. Since U^T U
/// and V^T V are the identity, A X = U S^3 V^T, so each s becomes a s + b s^3 + c s^5. With a = 3.4445, b = -4.7750 and
/// c = 2.0315 (Jordan et al. 2024, kellerjordan.github.io/posts/muon, as in torch.optim.Muon) every s from 0.0015 to 1
/// ends at about 0.68 to 1.20 rather than at 1, which is as good here; a smaller one grows at most a^5 = 485 times.
/// The cheaper side is multiplied: X^T X where X has more rows than columns.
template <std::floating_point Scalar>
void orthogonalize(Buffer<Scalar>& x, NewtonSchulzMemory<Scalar>& memory);

/// Muon (Jordan et al. 2024) for the weight matrices W [rows, cols] of layers, with gradient G:
///
///   M = momentum M + (1 - momentum) G
///   U = orthogonalize(momentum M + (1 - momentum) G)                           (Nesterov's look ahead)
///   W = (1 - rate * weight_decay) W - rate * 0.2 sqrt(max(rows, cols)) U
///
/// A step of Adam moves every number about equally far, one of Muon every direction of the map, even those in which
/// gradients seldom point. The factor gives the step about the root mean square of a usual one of Adam, 0.2 times the
/// rate, so that one rate serves both (Liu et al., arXiv 2502.16982; torch: adjust_lr_fn="match_rms_adamw").
template <std::floating_point Scalar>
class Muon {
 public:
  /// \param matrices  the places of W in the parameters; other places are left alone
  Muon(double momentum, double weight_decay, std::vector<TensorPlace> matrices);

  /// One update in place. \param scale  factor of the gradient, from clipping   \param m  [parameters] M, in W's places
  void update(std::span<Scalar> parameters, std::span<const Scalar> gradient, Scalar scale, double rate,
              std::span<Scalar> m);

  const std::vector<TensorPlace>& matrices() const { return matrices_; }

 private:
  struct Workspace {
    Buffer<Scalar> direction;
    NewtonSchulzMemory<Scalar> newton_schulz;
  };
  double momentum_, weight_decay_;
  std::vector<TensorPlace> matrices_;
  Workspaces<Workspace> workspaces_{[] { return std::make_unique<Workspace>(); }};
};

}  // namespace glassformer

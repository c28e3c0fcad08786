// The loss of one position and its gradient, as in chapter 9, in double precision.
import { softmax } from "./softmax_gradient";

export interface LossRow {
  p: number[];
  q: number[];
  gradient: number[]; // p - q
  loss: number; // with label smoothing
  crossEntropy: number; // without
}

/// Label smoothing takes a share from the expected token and spreads it evenly over all tokens.
function targetDistribution(tokens: number, expected: number, smoothing: number): number[] {
  return Array.from({ length: tokens }, (_, v) => (v === expected ? 1 - smoothing : 0) + smoothing / tokens);
}

export function lossOf(logits: number[], expected: number, smoothing: number): LossRow {
  const p = softmax(logits);
  const q = targetDistribution(logits.length, expected, smoothing);
  const largest = Math.max(...logits);
  const logSum = largest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
  const minusLog = logits.map((logit) => logSum - logit); // -log p, finite even if p rounds to 0
  return {
    p,
    q,
    gradient: p.map((chance, v) => chance - q[v]!),
    loss: q.reduce((sum, share, v) => sum + share * minusLog[v]!, 0),
    crossEntropy: minusLog[expected]!,
  };
}

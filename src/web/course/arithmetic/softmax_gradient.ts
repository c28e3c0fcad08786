// The gradient of softmax for one row of visible keys, as chapter 4 derives it, in double precision.

export interface GradientRow {
  weights: number[];
  mean: number; // m, the weighted mean of d_weights
  jacobian: number[][]; // row k, column j: the derivative of weight k with respect to score j
  dScores: number[];
  slopes: number[]; // finite differences, which must agree with dScores
}

const EPSILON = 1e-5;

export function softmax(scores: number[]): number[] {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

const dot = (a: number[], b: number[]): number => a.reduce((sum, number, i) => sum + number * b[i]!, 0);

export function softmaxGradient(scores: number[], dWeights: number[]): GradientRow {
  const weights = softmax(scores);
  const mean = dot(weights, dWeights);
  const jacobian = weights.map((wk, k) => weights.map((wj, j) => wk * ((k === j ? 1 : 0) - wj)));
  const loss = (changed: number[]) => dot(softmax(changed), dWeights);
  const moved = (j: number, by: number) => scores.map((score, i) => (i === j ? score + by : score));
  return {
    weights,
    mean,
    jacobian,
    dScores: weights.map((weight, j) => weight * (dWeights[j]! - mean)),
    slopes: scores.map((_, j) => (loss(moved(j, EPSILON)) - loss(moved(j, -EPSILON))) / (2 * EPSILON)),
  };
}

// The standard normal distribution, in double precision, for gelu.

/// exp(-x^2 / 2) / sqrt(2 pi)
export const normalDensity = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/// Phi(x): the probability of a number below x.
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x < -3) return upperTail(-x);
  if (x > 3) return 1 - upperTail(x);
  // Marsaglia 2004: Phi(x) = 1/2 + density(x) (x + x^3 / 3 + x^5 / (3 * 5) + ...)
  let [total, term] = [0, x];
  for (let i = 3; total + term !== total; i += 2) {
    total += term;
    term *= (x * x) / i;
  }
  return 0.5 + normalDensity(x) * total;
}

/// The continued fraction density(x) / (x + 1 / (x + 2 / (x + 3 / (x + ...)))), for large x.
function upperTail(x: number): number {
  let denominator = x;
  for (let k = 200; k > 0; --k) denominator = x + k / denominator;
  return normalDensity(x) / denominator;
}

// The masked softmax of one row of scores, in single precision like the program, and the ways to get it wrong that
// chapter 3 shows.

export type Way = "right" | "no_mask" | "large_number" | "not_subtracted" | "mask_afterwards";

export interface SoftmaxRow {
  largest: number; // what is subtracted from each score
  powers: number[];
  sum: number;
  weights: number[];
}

const float = Math.fround;
const power = (exponent: number): number => float(Math.exp(exponent));
const add = (numbers: number[]): number => numbers.reduce((sum, number) => float(sum + number), 0);

export function maskedSoftmax(scores: number[], blocked: boolean[], way: Way = "right"): SoftmaxRow {
  const used = scores.map((score, key) => {
    if (!blocked[key] || way === "no_mask" || way === "mask_afterwards") return float(score);
    return way === "large_number" ? float(float(score) + float(-1e9)) : -Infinity;
  });
  const largest = way === "not_subtracted" ? 0 : Math.max(...used);
  const powers = used.map((score) => (score === -Infinity ? 0 : power(float(score - largest))));
  const sum = add(powers);
  const divide = (numbers: number[], by: number) => numbers.map((number) => float(number * float(1 / by)));
  // The right way skips the division if nothing is visible.
  const weights = sum === 0 && way === "right" ? powers : divide(powers, sum);
  if (way !== "mask_afterwards") return { largest, powers, sum, weights };
  const kept = weights.map((weight, key) => (blocked[key] ? 0 : weight));
  return { largest, powers, sum, weights: divide(kept, add(kept)) };
}

// A few updates of one weight with Adam, as in chapter 11, in double precision.

export interface Settings {
  beta1: number;
  beta2: number;
  epsilon: number;
  clipNorm: number; // 0: gradients are not clipped
  initialRate: number;
  peakRate: number;
  warmup: number;
  corrected: boolean; // false: m and v are used as they are
}

export interface Start {
  update: number; // the number of the first update, for the schedule
  counted: number; // how many gradients m and v contain already
  weight: number;
  m: number;
  v: number;
}

/// What an update gets: the gradient of this weight, and the norm of the whole gradient.
export interface Given {
  gradient: number;
  norm: number;
}

export interface Update {
  number: number;
  clip: number; // the factor that clipping multiplies the gradient by
  m: number;
  v: number;
  mHat: number;
  rootV: number; // the root of v, corrected
  fraction: number;
  rate: number;
  change: number;
  weight: number; // after the update
}

/// The schedule inverse_sqrt.
function learningRate({ initialRate, peakRate, warmup }: Settings, update: number): number {
  if (update < warmup) return initialRate + ((peakRate - initialRate) * update) / warmup;
  return peakRate * Math.sqrt(Math.max(1, warmup) / update);
}

export function adamUpdates(start: Start, given: Given[], settings: Settings): Update[] {
  const { beta1, beta2, epsilon, clipNorm, corrected } = settings;
  let { weight, m, v } = start;
  return given.map(({ gradient, norm }, i) => {
    const number = start.update + i;
    const t = start.counted + i + 1;
    const clip = clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1;
    const g = clip * gradient;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const mHat = corrected ? m / (1 - beta1 ** t) : m;
    const rootV = Math.sqrt(corrected ? v / (1 - beta2 ** t) : v);
    const fraction = mHat / (rootV + epsilon);
    const rate = learningRate(settings, number);
    const change = -rate * fraction;
    weight += change;
    return { number, clip, m, v, mHat, rootV, fraction, rate, change, weight };
  });
}

// The parameters of the slot for Adam.
import type { Given, Settings, Start } from "./arithmetic/adam";
import { numbersOf, type Parameters } from "./slots";

/// optimizer: beta1, beta2, epsilon and clip_norm; schedule: initial rate, peak rate and warm-up.
export function adamSettings(optimizer: string, schedule: string): Settings {
  const [beta1 = 0, beta2 = 0, epsilon = 0, clipNorm = 0] = numbersOf(optimizer);
  const [initialRate = 0, peakRate = 0, warmup = 0] = numbersOf(schedule);
  return { beta1, beta2, epsilon, clipNorm, initialRate, peakRate, warmup, corrected: true };
}

export function adamStart(parameters: Parameters): { start: Start; given: Given[]; settings: Settings } {
  const update = Number(parameters["update"]);
  const [weight, m, v] = ["weight", "m", "v"].map((name) => Number(parameters[name])) as [number, number, number];
  const norms = numbersOf(parameters["norms"]);
  return {
    start: { update, counted: update - 1, weight, m, v },
    given: numbersOf(parameters["gradients"]).map((gradient, i) => ({ gradient, norm: norms[i]! })),
    settings: adamSettings(parameters["optimizer"]!, parameters["schedule"]!),
  };
}

// One update of one weight by Adam or AdamW, as src/training/optimizer.cpp computes it: in float32, every operation
// rounded, in the same order. So the result has the engine's bits.
import type { UpdateNumbers, Values } from "../engine/protocol";

const f = Math.fround;

/// The settings of the optimizer, as numbers.
export interface OptimizerValues {
  kind: "adam" | "adamw" | "muon";
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  clipNorm: number;
}

export function optimizerValues(settings: Values): OptimizerValues {
  const number = (name: string) => Number(settings[`training.optimizer.${name}`]);
  return {
    kind: settings["training.optimizer.kind"] as OptimizerValues["kind"],
    beta1: number("beta1"),
    beta2: number("beta2"),
    epsilon: number("epsilon"),
    weightDecay: number("weight_decay"),
    clipNorm: number("clip_norm"),
  };
}

/// Whether Muon updates this tensor: the weight matrices inside layers. All others have AdamW.
export const isForMuon = ({ kind }: OptimizerValues, tensor: string): boolean =>
  kind === "muon" && /\.layers\.\d+\..*(_proj|fc1|fc2)\.weight$/.test(tensor);

/// What all weights of an update share. `updates`: how many there have been; skipped ones do not count.
export interface SharedNumbers {
  scale: number; // of the gradient, after clipping
  remaining1: number; // 1 - beta1^t
  remaining2: number; // 1 - beta2^t
  step: number; // rate / remaining1
  sqrtFactor: number; // 1 / sqrt(remaining2)
  keep: number; // 1 - rate * weight decay, of adamw
}

export function sharedNumbers(values: OptimizerValues, update: UpdateNumbers, updates: number): SharedNumbers {
  const remaining1 = 1 - values.beta1 ** updates;
  const remaining2 = 1 - values.beta2 ** updates;
  return {
    scale: f(update.clip_scale),
    remaining1,
    remaining2,
    step: f(update.learning_rate / remaining1),
    sqrtFactor: f(1 / Math.sqrt(remaining2)),
    keep: f(1 - f(f(update.learning_rate) * f(values.weightDecay))),
  };
}

/// All numbers of one weight's update, in the order in which they are computed.
export interface WeightUpdate {
  before: number;
  gradient: number;
  decayed: number; // the weight after the decay of adamw; otherwise, as before
  clipped: number; // the gradient, clipped
  used: number; // that, with the decay of adam
  mBefore: number;
  m: number;
  vBefore: number;
  v: number;
  change: number;
  after: number;
}

export function updateWeight(
  values: OptimizerValues,
  shared: SharedNumbers,
  { weights_before, gradient, m_before, v_before }: UpdateNumbers,
  i: number,
): WeightUpdate {
  const [beta1, beta2, decay] = [f(values.beta1), f(values.beta2), f(values.weightDecay)];
  const [before, own, mBefore, vBefore] = [weights_before[i]!, gradient[i]!, m_before[i]!, v_before[i]!];
  const decoupled = values.kind !== "adam";
  const decayed = decoupled ? f(before * shared.keep) : before;
  const clipped = f(shared.scale * own);
  const used = f(clipped + f((decoupled ? 0 : decay) * decayed));
  const m = f(f(beta1 * mBefore) + f(f(1 - beta1) * used));
  const v = f(f(beta2 * vBefore) + f(f(1 - beta2) * f(used * used)));
  const numerator = f(shared.step * m);
  const denominator = f(f(f(Math.sqrt(v)) * shared.sqrtFactor) + f(values.epsilon));
  const change = f(numerator / denominator);
  const after = f(decayed - change);
  return { before, gradient: own, decayed, clipped, used, mBefore, m, vBefore, v, change, after };
}

// Numbers of a pass that the trace does not state as such.
import type { Trace } from "../../trace/trace";
import type { MaybeFinite } from "../../trace/types";

/// The mean loss of the tokens of one sentence; null if it is not finite.
export function sentenceLoss(trace: Trace, sentence: number): MaybeFinite {
  let [sum, count] = [0, 0];
  for (const { counted, loss } of trace.json.answer[sentence]!) {
    if (!counted) continue;
    if (loss === null) return null;
    sum += loss;
    ++count;
  }
  return count > 0 ? sum / count : null;
}

/// The norm of the gradient of all parameters; null if it is not finite.
export function gradientNorm({ json }: Trace): MaybeFinite {
  let sum = 0;
  for (const { norm } of json.gradients) {
    if (norm === null) return null;
    sum += norm * norm;
  }
  return Math.sqrt(sum);
}

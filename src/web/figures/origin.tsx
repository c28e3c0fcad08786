// Where a tensor comes from: a step of the trace, or from outside.
import type { Trace } from "../trace/trace";
import { stepAddress } from "./step_address";

const GIVEN_TEXTS: Record<string, string> = {
  mask: "given: a mask",
  id: "given: the ids of the tokens",
  expected: "given: the ids of the expected tokens",
  d_loss: "given: 1 / the number of counted tokens, because the loss is a mean over them",
  position: "given: sines and cosines of the position",
  kept: "given: drawn at random; 1 means kept, 0 means dropped",
};

const isParameter = (name: string) => /^(weight|bias|gain|table)$/.test(name);

/// Why no step of the trace computes a tensor: it is given, or its step belongs to a layer that is left out.
export function originText(trace: Trace, tensor: number, name = trace.tensor(tensor).name): string {
  if (trace.tensor(tensor).computed) return "left out: computed in a layer that is not shown";
  return GIVEN_TEXTS[name] ?? (isParameter(name) ? "given: a parameter of the model" : "given: no step computes it");
}

export function Origin({ trace, tensor }: { trace: Trace; tensor: number }) {
  const producer = trace.producer(tensor);
  if (producer === undefined) return <span class="origin">{originText(trace, tensor)}</span>;
  return (
    <a class="origin" href={stepAddress(producer)}>
      from step {producer + 1}
    </a>
  );
}

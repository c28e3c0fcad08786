// Shapes in the map of the model.
import { ATTENTION_KINDS } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { AttentionKind } from "../trace/types";

interface Size {
  size: number;
  meaning: string;
}

/// How large each axis is in this trace. Those with the most letters come first: the legend has them in one column.
export function sizesOf(trace: Trace): Record<string, Size> {
  const { d_model, heads, d_ff } = trace.json.model;
  const { source, target } = trace.json.vocabulary;
  return {
    B: { size: trace.sentences, meaning: trace.sentences === 1 ? "sentence" : "sentences" },
    S: { size: trace.source.length, meaning: "source length" },
    T: { size: trace.target.length, meaning: "target length" },
    V: { size: target.length, meaning: source.length === target.length ? "vocabulary" : "target tokens" },
    D: { size: d_model, meaning: "width" },
    H: { size: heads, meaning: "heads" },
    F: { size: d_ff, meaning: "hidden" },
  };
}

/// "B, S, D" -> "[3, 10, 64]"
export function shapeText(trace: Trace, axes: string): string {
  const sizes = sizesOf(trace);
  const numbers = axes.split(", ").map((letter) => sizes[letter]!.size);
  return `[${numbers.join(", ")}]`;
}

/// The axes of the weights: "B, H, S, S".
export function weightAxes(attention: AttentionKind): string {
  const letter = { source: "S", target: "T" };
  const { rows, cols } = ATTENTION_KINDS[attention];
  return `B, H, ${letter[rows]}, ${letter[cols]}`;
}

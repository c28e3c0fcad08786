// The blocks of the map of the model, and what each stands for.
import type { Trace } from "../trace/trace";
import type { AttentionKind } from "../trace/types";
import { layerGroups } from "./model_map_layers";
import { shapeText } from "./model_map_shapes";

export type SideName = "encoder" | "decoder";
export type BlockKind =
  | "ids"
  | "embedding"
  | "attention"
  | "mask"
  | "feed_forward"
  | "norm"
  | "add"
  | "layer"
  | "memory"
  | "output"
  | "softmax"
  | "loss"
  | "way_forward"
  | "way_back";

export interface Block {
  id: string;
  kind: BlockKind;
  label: string;
  detail?: string; // below the label
  where?: string; // what it belongs to: "encoder layer 0"
  more?: string; // what its full name says after the label: "after self-attention"
  parts: readonly string[]; // the parts of the model it stands for; none: it leads to a section
  axes?: string; // of its output: "B, S, D"
  attention?: AttentionKind; // of an attention, and of its mask
  tied?: boolean; // it shares its table with others
}

/// Blocks that belong together, from the bottom up: a sublayer with its norm and its residual sum, or a single block.
export interface Group {
  side: SideName;
  blocks: Block[];
  mask?: Block;
  residual?: boolean;
  layer?: number; // if it belongs to a layer that is shown in full
}

/// "encoder layer 0 · add & norm after self-attention"
export function titleOf({ where, label, more }: Block): string {
  const name = more ? `${label} ${more}` : label;
  return where ? `${where} · ${name}` : name;
}

/// The part whose backward steps add up the gradient of the memory.
export const MEMORY_PART = "decoder";

/// All groups of one side, from the bottom up. `open`: the layers that are shown in full.
export function groupsOf(trace: Trace, side: SideName, open: number[]): Group[] {
  const axes = side === "encoder" ? "B, S, D" : "B, T, D";
  const single = (block: Block): Group => ({ side, blocks: [block] });
  return [
    single(side === "encoder" ? sourceIds(trace) : targetIds(trace)),
    single(embedding(trace, side, axes)),
    ...layerGroups(trace, side, open, axes),
    ...(trace.json.model.norm === "pre" ? [single(finalNorm(side, axes))] : []),
    ...(side === "encoder" ? [memory(trace, axes)] : [output(trace), softmax, loss]).map(single),
  ];
}

const sourceIds = (trace: Trace): Block => ({
  id: "source_ids",
  kind: "ids",
  label: "source ids",
  detail: shapeText(trace, "B, S"),
  parts: [],
  axes: "B, S",
});

const targetIds = (trace: Trace): Block => ({
  id: "target_ids",
  kind: "ids",
  label: "target ids",
  detail: shapeText(trace, "B, T"),
  more: "shifted right",
  parts: [],
  axes: "B, T",
});

export const expectedIds = (trace: Trace): Block => ({
  id: "expected_ids",
  kind: "ids",
  label: "expected ids",
  detail: shapeText(trace, "B, T"),
  parts: [],
  axes: "B, T",
});

/// Which tables are one and the same: "target" ties the decoder's embedding to the output, "all" the encoder's as well.
function isTied(trace: Trace, side: SideName): boolean {
  const { tied_embeddings: tied } = trace.json.model;
  return tied === "all" || (tied === "target" && side === "decoder");
}

const embedding = (trace: Trace, side: SideName, axes: string): Block => ({
  id: `${side}.embed_tokens`,
  kind: "embedding",
  label: "embedding",
  detail: "+ position",
  where: side,
  parts: [`${side}.embed_tokens`],
  axes,
  tied: isTied(trace, side),
});

const finalNorm = (side: SideName, axes: string): Block => ({
  id: `${side}.layer_norm`,
  kind: "norm",
  label: "final norm",
  where: side,
  parts: [`${side}.layer_norm`],
  axes,
});

const memory = (trace: Trace, axes: string): Block => ({
  id: "memory",
  kind: "memory",
  label: "memory",
  detail: shapeText(trace, axes),
  more: "from the encoder",
  parts: [MEMORY_PART],
  axes,
});

const output = (trace: Trace): Block => ({
  id: "decoder.output",
  kind: "output",
  label: "output",
  detail: `${trace.json.model.d_model} → ${trace.json.vocabulary.target.length}`,
  where: "decoder",
  parts: ["decoder.output"],
  axes: "B, T, V",
  tied: isTied(trace, "decoder"),
});

const softmax: Block = {
  id: "softmax",
  kind: "softmax",
  label: "softmax",
  detail: "cross-entropy",
  parts: ["loss"],
};

const loss: Block = { id: "loss", kind: "loss", label: "loss", more: "and predictions", parts: [] };

/// These turn round: they lead to the current block's steps in one direction.
export const WAYS: Block[] = [
  { id: "way_forward", kind: "way_forward", label: "forward", parts: [] },
  { id: "way_back", kind: "way_back", label: "way back", parts: [] },
];

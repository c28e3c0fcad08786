// The layers in the map of the model. A model of one or two layers is shown in full. In a deeper one, each side shows the
// layer where the reader is, and folds the others to one block each.
import { range } from "../base/numbers";
import { ATTENTION_KINDS, kindOfPart } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { AttentionKind } from "../trace/types";
import type { Block, Group, SideName } from "./model_map_blocks";
import { shapeText, weightAxes } from "./model_map_shapes";

const MOST_OPEN = 2;
const MOST_FOLDED = 5; // on either side of the open layer

/// The layers of one side that are shown in full at a step: if not all, the only layer that the trace has in full, or the
/// layer of the nearest step on this side, looking back first.
export function openLayers(trace: Trace, number: number, side: SideName): number[] {
  const layers = range(trace.json.model[`${side}_layers`]);
  if (layers.length <= MOST_OPEN) return layers;
  if (trace.json.layer !== null) return [Math.min(trace.json.layer, layers.length - 1)];
  const pattern = new RegExp(`^${side}\\.layers\\.(\\d+)\\.`);
  const layerAt = (step: number) => pattern.exec(trace.steps[step]!.part)?.[1];
  let near = number;
  while (near > 0 && !layerAt(near)) near -= 1;
  while (near < trace.steps.length - 1 && !layerAt(near)) near += 1;
  return [Number(layerAt(near) ?? 0)];
}

export function layerGroups(trace: Trace, side: SideName, open: number[], axes: string): Group[] {
  const layers = range(trace.json.model[`${side}_layers`]);
  const below = layers.filter((layer) => layer < open[0]!);
  const above = layers.filter((layer) => layer > open.at(-1)!);
  const folded = (blocks: number[][]) => blocks.map((some) => foldedGroup(side, some, axes));
  const names = side === "encoder" ? ["self_attn", "feed_forward"] : ["self_attn", "encoder_attn", "feed_forward"];
  return [
    ...folded(foldedBlocks(below.reverse()).reverse()),
    ...open.flatMap((layer) => names.map((name) => sublayerGroup(trace, side, layer, name, axes))),
    ...folded(foldedBlocks(above)),
  ];
}

/// A block for each folded layer, the nearest to the open layer first. If there are too many, the furthest share a block.
function foldedBlocks(layers: number[]): number[][] {
  const apart = layers.length > MOST_FOLDED ? MOST_FOLDED - 1 : layers.length;
  const blocks = layers.slice(0, apart).map((layer) => [layer]);
  const rest = layers.slice(apart).sort((a, b) => a - b);
  return rest.length ? [...blocks, rest] : blocks;
}

function foldedGroup(side: SideName, layers: number[], axes: string): Group {
  const label = layers.length > 1 ? `layers ${layers[0]} to ${layers.at(-1)}` : `layer ${layers[0]}`;
  const parts = layers.map((layer) => `${side}.layers.${layer}`);
  return { side, blocks: [{ id: parts[0]!, kind: "layer", label, where: side, parts, axes }] };
}

function sublayerGroup(trace: Trace, side: SideName, layer: number, name: string, axes: string): Group {
  const where = `${side} layer ${layer}`;
  const inner = { ...sublayerBlock(trace, `${side}.layers.${layer}.${name}`, axes), where };
  const part = `${side}.layers.${layer}.${name === "feed_forward" ? "final" : name}_layer_norm`;
  const norm: Block = { id: part, kind: "norm", label: "norm", where, parts: [part], axes };
  const around = (): Block[] => {
    if (trace.json.model.norm === "post") {
      return [inner, { ...norm, label: "add & norm", more: `after ${inner.label}` }];
    }
    const sum = `${part}.residual`;
    return [
      { ...norm, more: `before ${inner.label}` },
      inner,
      { ...norm, id: sum, kind: "add", label: "add", more: `after ${inner.label}`, parts: [sum] },
    ];
  };
  return {
    side,
    layer,
    residual: true,
    blocks: around(),
    mask: inner.attention && maskBlock(trace, inner, inner.attention),
  };
}

function sublayerBlock(trace: Trace, part: string, axes: string): Block {
  const common = { id: part, parts: [part], axes };
  const attention = kindOfPart(trace, part);
  if (!attention) {
    const { d_model: width, d_ff: hidden } = trace.json.model;
    return { ...common, kind: "feed_forward", label: "feed-forward", detail: `${width} → ${hidden} → ${width}` };
  }
  const label = attention === "cross" ? "cross-attention" : "self-attention";
  return { ...common, kind: "attention", label, detail: shapeText(trace, weightAxes(attention)), attention };
}

/// The mask of an attention. Its label says which elementary masks it combines.
function maskBlock(trace: Trace, inner: Block, attention: AttentionKind): Block {
  const { mask } = ATTENTION_KINDS[attention];
  const side = attention === "decoder self" ? "target" : "source";
  const words = { future: "look-ahead", padding: `${side} padding` };
  const on = (["future", "padding"] as const).filter((reason) => trace.isOn(mask, reason));
  return {
    id: `${inner.id}.mask`,
    kind: "mask",
    label: on.map((reason) => words[reason]).join(" + ") || "no mask",
    where: `${inner.where} · ${inner.label}`,
    more: on.length ? "mask" : undefined,
    parts: [],
    axes: weightAxes(attention).slice(-4), // queries and keys
    attention,
  };
}

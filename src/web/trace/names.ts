// Readable names for parts of the model: "encoder.layers.0.self_attn" becomes "encoder layer 0 · self-attention".
// Layers are counted from 0, as in the code and in a checkpoint.
import type { Trace } from "./trace";
import type { AttentionKind, LayerMask } from "./types";

const PART_TITLES: Record<string, string> = {
  embedding: "embedding",
  embed_tokens: "embedding",
  self_attn: "self-attention",
  encoder_attn: "cross-attention",
  layer_norm: "final norm",
  feed_forward: "feed-forward",
  qkv_proj: "queries, keys and values",
  kv_proj: "keys and values",
  residual: "residual",
  q_proj: "queries",
  out_proj: "output",
  fc1: "expand",
  fc2: "contract",
  output: "logits",
};

/// The sublayer that a layer norm and its residual sum belong to.
const NORMED: Record<string, string> = {
  self_attn_layer_norm: "self-attention",
  encoder_attn_layer_norm: "cross-attention",
  final_layer_norm: "feed-forward",
};

const BLOCKS_OF: Record<string, string> = { fc1: "feed-forward", fc2: "feed-forward", embed_tokens: "embedding" };

/// The readable form of one name in a path. Post-norm adds and normalises after a sublayer; pre-norm normalises before.
function readableName(trace: Trace, name: string): string {
  const normed = NORMED[name];
  if (!normed) return PART_TITLES[name] ?? name.replaceAll("_", " ");
  return trace.json.model.norm === "post" ? `add & norm after ${normed}` : `norm & add around ${normed}`;
}

/// "encoder.layers.0.self_attn.q_proj" -> ["encoder", "layer 0", "self-attention", "queries"]
export function partNames(trace: Trace, part: string): string[] {
  const names = part.replace(/^model\./, "").replace(/\.(weight|bias)$/, "");
  const words: string[] = [];
  for (const name of names.replace(/layers\.(\d+)/g, (_, layer) => `layer ${layer}`).split(".")) {
    const block = BLOCKS_OF[name];
    if (block && words.at(-1) !== block) words.push(block);
    const word = readableName(trace, name);
    if (word !== words.at(-1)) words.push(word);
  }
  return words;
}

/// "encoder layer 0 · self-attention"
export function partTitle(trace: Trace, part: string): string {
  const words = partNames(trace, part);
  return (/^layer \d/.test(words[1] ?? "") ? [`${words[0]} ${words[1]}`, ...words.slice(2)] : words).join(" · ");
}

/// The block that a step belongs to, for the table of contents: at most encoder, layer, sublayer.
export const blockNames = (trace: Trace, part: string): string[] =>
  partNames(trace, part).slice(0, /\.layers\.\d/.test(`.${part}`) ? 3 : 2);

/// A kind of attention: its title, its mask, and the sides of the batch that its queries and keys come from.
interface KindOfAttention {
  title: string;
  mask: LayerMask;
  rows: "source" | "target";
  cols: "source" | "target";
}

export const ATTENTION_KINDS: Record<AttentionKind, KindOfAttention> = {
  "encoder self": { title: "Encoder self-attention", mask: "encoder_padding", rows: "source", cols: "source" },
  "decoder self": { title: "Decoder self-attention", mask: "decoder_combined", rows: "target", cols: "target" },
  cross: { title: "Cross-attention", mask: "cross_padding", rows: "target", cols: "source" },
};

export const KINDS = Object.keys(ATTENTION_KINDS) as AttentionKind[];

/// The kind of attention that a part belongs to, or undefined.
export const kindOfPart = (trace: Trace, part: string): AttentionKind | undefined =>
  trace.json.attention.find((one) => part === one.part || part.startsWith(`${one.part}.`))?.kind;

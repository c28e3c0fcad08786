// The trace as JSON: one pass of the model over a batch, forward and backward. src/page/trace_json.hpp describes it.
// Letters in comments: B sentences, S and T the padded lengths of source and target, H heads, D model width, V target
// vocabulary.

/// JSON has neither NaN nor infinity: a number that is not finite is null.
export type MaybeFinite = number | null;

/// A matrix in one of three forms, row by row. `packed`: text that ./packed_numbers.ts reads. `bits`: one character, 0 or
/// 1, for each cell. `numbers`: a list, or a Float32Array if they come from the engine.
export interface MatrixJson {
  rows: number;
  cols: number;
  packed?: string;
  letters?: number; // of `packed`
  exponent?: number; // of `packed`
  bits?: string;
  numbers?: readonly MaybeFinite[] | Float32Array;
}

export interface ModelJson {
  d_model: number;
  heads: number;
  encoder_layers: number;
  decoder_layers: number;
  d_ff: number;
  norm: "pre" | "post";
  activation: string;
  tied_embeddings: string;
  scale_embeddings: boolean;
  parameters: number;
  label_smoothing: number;
  dropout: boolean; // whether the pass drops numbers
  dropout_rates: { embedding: number; attention: number; activation: number; residual: number };
  learned_without: string[]; // names of the masks that were off in training: "look_ahead"
}

export interface SentenceJson {
  source: string;
  target: string;
  own_translation: boolean;
}

export interface IdsAndTokensJson {
  ids: number[][];
  tokens: string[][];
}

export interface BatchJson {
  source: IdsAndTokensJson; // [B, S]
  target_input: IdsAndTokensJson; // [B, T]
  target_output: IdsAndTokensJson; // [B, T]
  pad: { source: number; target: number };
}

export type AttentionKind = "encoder self" | "decoder self" | "cross";
/// The masks that attention layers use.
export type LayerMask = "encoder_padding" | "decoder_combined" | "cross_padding";
export type MaskName = LayerMask | "target_padding" | "look_ahead";
export type ReasonName = "padding" | "future" | "padded_query" | "inverted";

export interface TensorJson {
  name: string;
  part: string; // "model.encoder.layers.0.self_attn"
  axes: string; // "B*S, D"; empty if unknown
  computed: boolean; // false: given
  vocabulary_of?: "source" | "target"; // if an axis is V
  ids?: number[]; // if the axis V is cut: the ids of the tokens shown
  vocabulary?: number; // ... and the number of all tokens
  values: MatrixJson;
}

export interface CodeJson {
  file: string;
  function?: string;
  lines: [first: number, last: number];
}

export interface InputJson {
  name: string;
  tensor: number;
}

export interface StepJson {
  direction: "forward" | "backward";
  part: string;
  equation: string; // "y = {x} {W}^T + {b}"
  output: number; // the number of a tensor
  inputs: InputJson[];
  code: CodeJson;
  differentiates: (CodeJson & { step: number }) | null;
}

export interface AttentionJson {
  part: string;
  kind: AttentionKind;
  layer: number;
  weights: number; // the number of a tensor [B*H*queries, keys]
}

export interface LikelyTokenJson {
  id: number;
  token: string;
  probability: MaybeFinite;
}

/// The prediction at one position. The numbers are also null where padding is expected, which is not counted.
export interface AnswerJson {
  expected: number;
  counted: boolean;
  loss: MaybeFinite;
  cross_entropy: MaybeFinite;
  probability: MaybeFinite;
  likeliest: LikelyTokenJson[];
}

export interface LossJson {
  mean: MaybeFinite;
  cross_entropy: MaybeFinite;
  perplexity: MaybeFinite;
  tokens: number;
  correct: number;
}

export interface GradientJson {
  name: string;
  shape: number[];
  norm: MaybeFinite;
  values_norm: MaybeFinite;
}

export interface MemoryGradientJson {
  sum: number; // the number of a tensor [B*S, D]
  parts: { layer: number; tensor: number }[];
}

/// One elementary mask, and why it blocks. It has one row for all sentences (or queries) if `sentences` (`queries`) is 1.
export interface ReasonJson {
  name: ReasonName;
  sentences: number;
  queries: number;
  blocked: MatrixJson;
}

/// [B, T]; null where padding is expected.
export interface LossesAndAnswersJson {
  losses: MaybeFinite[][];
  answers: (number | null)[][];
}

/// The same batch and weights under different masks.
export interface VariantJson extends LossesAndAnswersJson {
  name: string;
  title: string;
  says: string;
  changed: LayerMask[];
  masks: Record<LayerMask, MatrixJson>;
  reasons: Record<LayerMask, ReasonJson[]>;
  loss: LossJson;
  alone: LossesAndAnswersJson;
  on_padding: Record<AttentionKind, MaybeFinite>[]; // [B]
  attention: MatrixJson[]; // in the order of TraceJson.attention
  gradient_norms: MaybeFinite[]; // in the order of TraceJson.gradients
}

export interface TraceJson {
  format: "glassformer trace";
  version: 1;
  glassformer: string;
  checkpoint: string;
  model: ModelJson;
  layer: number | null;
  sentences: SentenceJson[];
  batch: BatchJson;
  vocabulary: { source: string[]; target: string[] };
  masks: Record<MaskName, MatrixJson>;
  tensors: TensorJson[];
  steps: StepJson[];
  sources: Record<string, string>;
  attention: AttentionJson[];
  answer: AnswerJson[][]; // [B, T]
  d_logits: number; // the number of a tensor [B*T, V]
  loss: LossJson;
  gradients: GradientJson[];
  memory_gradient: MemoryGradientJson;
  what_if: VariantJson[]; // the first has the model's own masks
}

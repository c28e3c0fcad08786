// What the page asks its engine, and what the engine answers. src/live/engine.hpp documents the same functions.
import type { TraceJson } from "../trace/types";

export interface Pair {
  source: string;
  target: string;
}

/// One byte for each cell, 1 = blocked, row by row.
export interface MaskCells {
  sentences: number;
  queries: number;
  keys: number;
  blocked: Uint8Array;
}

/// [B, S, S], [B, T, T] and [B, T, S].
export interface Masks {
  encoder_padding: MaskCells;
  decoder_combined: MaskCells;
  cross_padding: MaskCells;
}

/// Values of settings by key, such as {"model.heads": "4"}.
export type Values = Record<string, string>;

export interface Setting {
  key: string;
  meaning: string;
  value: string;
  kind: "integer" | "number" | "choice" | "switch";
  least?: number;
  most?: number;
  words?: string; // what a number must be: "a number above 0"
  choices?: string[];
}

/// How the engine rounds a product that is added to something. fused: once, by one instruction. emulated: once, by
/// several. Both give the bits of the program.
export type Arithmetic = "fused" | "emulated";

export interface About {
  version: string;
  arithmetic: Arithmetic;
  self_test: string; // the digest of a tiny training run
}

export interface Text {
  source: string; // lines
  target: string;
}

export interface Created {
  parameters: number;
  tensors: { name: string; shape: number[] }[];
  vocabulary: { source: string[]; target: string[] };
  pairs: number;
  batches: number;
  settings: Setting[];
  remarks: string[];
}

export interface Tokens {
  ids: number[];
  tokens: string[];
  unknown: string[];
}

export interface Update {
  number: number; // from 1
  loss: number;
  gradient_norm: number;
  learning_rate: number;
  skipped: boolean;
}

export interface Hypothesis {
  text: string;
  ids: number[];
  log_probability: number;
  score: number;
  finished: boolean;
}

/// A hypothesis of the step before, extended by one token. src/live/search_tree.hpp says what the fates are.
export interface Extension {
  parent: number;
  token: number;
  text: string;
  probability: number;
  log_probability: number;
  score: number;
  fate: "runs" | "finished" | "too late" | "cut" | "hopeless";
}

export interface SearchTree {
  limit: number;
  steps: Extension[][];
  found: Hypothesis[];
  overflowed: boolean;
}

/// One tensor in the last update, before and after it.
export interface UpdateNumbers {
  name: string;
  shape: number[];
  number: number;
  gradient_norm: number;
  clip_scale: number;
  learning_rate: number;
  weights_before: Float32Array;
  m_before: Float32Array;
  v_before: Float32Array;
  gradient: Float32Array; // before clipping
  m: Float32Array;
  v: Float32Array;
  weights: Float32Array;
}

/// An engine, wherever it runs. If an argument is wrong, a call throws a Refusal with one clear message, and the engine is
/// as it was before. After any other error, every call fails.
export interface Engine {
  about(): Promise<About>;
  settings(): Promise<Setting[]>;
  create(values: Values, text: Text): Promise<Created>;
  tokens(side: "source" | "target", sentence: string): Promise<Tokens>;
  /// Makes `count` updates, unless stop() is called before. `report` gets the updates as they are made, several at once.
  train(count: number, report: (updates: Update[]) => void): Promise<void>;
  stop(): void;
  trace(pairs: Pair[], masks?: Masks): Promise<TraceJson>;
  translate(sources: string[], search: Values): Promise<Hypothesis[][]>;
  search_tree(source: string, search: Values): Promise<SearchTree>;
  update_numbers(tensor: string): Promise<UpdateNumbers>;
  /// Heads such as "decoder.layers.0.encoder_attn 1"; all others are on.
  turn_off_heads(heads: string[]): Promise<void>;
  snapshot(): Promise<Uint8Array>;
  restore(snapshot: Uint8Array): Promise<void>;
  digest(): Promise<string>;
  /// The beginnings of the SHA-256 digests of all tensors, as in a run's digests.jsonl.
  weight_digests(): Promise<Record<string, string>>;
}

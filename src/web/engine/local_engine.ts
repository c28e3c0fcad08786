// The engine as functions that return at once: what runs in a worker, and in the tests under node.
import { sha256 } from "@noble/hashes/sha2.js";
import { oneLine } from "../base/lines";
import type { MatrixJson, TraceJson } from "../trace/types";
import type {
  About,
  Arithmetic,
  Created,
  Hypothesis,
  Masks,
  Pair,
  SearchTree,
  Setting,
  Text,
  Tokens,
  Update,
  UpdateNumbers,
  Values,
} from "./protocol";
import { WasmModule } from "./wasm";

/// A matrix whose numbers are still in the engine's memory.
interface MatrixAddress {
  rows: number;
  cols: number;
  doubles?: number;
  floats?: number;
}

interface TensorAddress {
  name: string;
  shape: number[];
  values: number;
}

const UPDATE_VECTORS = ["weights_before", "m_before", "v_before", "gradient", "m", "v", "weights"] as const;
type UpdateAddresses = Record<(typeof UPDATE_VECTORS)[number], number> & Omit<UpdateNumbers, "weights">;

const lines = (values: Values): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("");

/// Sentences as lines.
const textOf = (sentences: string[]): string => sentences.map((one) => oneLine(one) + "\n").join("");

const sizeOf = (shape: number[]): number => shape.reduce((product, size) => product * size, 1);

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class LocalEngine {
  constructor(
    readonly module: WasmModule,
    readonly arithmetic: Arithmetic,
  ) {}

  about(): About {
    const { version } = this.module.json<{ version: string }>("about");
    return { version, arithmetic: this.arithmetic, self_test: this.module.json("self_test") };
  }

  settings(): Setting[] {
    return this.module.json("settings");
  }

  /// How many shards a batch has.
  shards = 1;

  create(values: Values, { source, target }: Text, rank = 0, ranks = 1): Created {
    const created = this.module.json<Created>("create", lines(values), source, target, rank, ranks);
    this.shards = Number(created.settings.find(({ key }) => key === "training.shards")!.value);
    return created;
  }

  tokens(side: "source" | "target", sentence: string): Tokens {
    return this.module.json("tokens", side === "source" ? 1 : 0, sentence);
  }

  step(): Update {
    const { number, loss, gradient_norm, learning_rate, skipped } = this.module.json<Update>("step");
    return { number, loss, gradient_norm, learning_rate, skipped };
  }

  // For several workers: run_shards() on all; add_shards() on one after the other; receive() and step() on all.
  run_shards(): void {
    this.module.call("run_shards");
  }

  /// Adds this rank's shards to the sum, and returns it.
  add_shards(sum: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
    return this.module.changeFloats("add_shards", sum);
  }

  /// Of all shards; run_shards() fills those of this rank.
  shard_results(): Uint8Array<ArrayBuffer> {
    return this.module.bytes("shard_results");
  }

  receive(sum: Float32Array<ArrayBuffer>, results: Uint8Array): void {
    const bytes = new Uint8Array(sum.buffer, sum.byteOffset, sum.byteLength);
    this.module.call("receive", bytes, results);
  }

  trace(pairs: Pair[], masks?: Masks): TraceJson {
    const side = (name: keyof Pair) => textOf(pairs.map((pair) => pair[name]));
    const trace = this.module.json<TraceJson>("trace", side("source"), side("target"), cellsOf(masks));
    for (const tensor of trace.tensors) tensor.values = this.#matrix(tensor.values);
    for (const variant of trace.what_if) variant.attention = variant.attention.map((matrix) => this.#matrix(matrix));
    return trace;
  }

  translate(sources: string[], search: Values): Hypothesis[][] {
    return this.module.json("translate", textOf(sources), lines(search));
  }

  search_tree(source: string, search: Values): SearchTree {
    return this.module.json("search_tree", source, lines(search));
  }

  update_numbers(tensor: string): UpdateNumbers {
    const found = this.module.json<UpdateAddresses>("update_numbers", tensor);
    const count = sizeOf(found.shape);
    const vectors = UPDATE_VECTORS.map((name) => [name, this.module.floats(found[name], count)]);
    return { ...found, ...Object.fromEntries(vectors) };
  }

  turn_off_heads(heads: string[]): void {
    this.module.call("turn_off_heads", heads.map((head) => `${head}\n`).join(""));
  }

  snapshot(): Uint8Array<ArrayBuffer> {
    return this.module.bytes("snapshot");
  }

  restore(snapshot: Uint8Array): void {
    this.module.call("restore", snapshot);
  }

  digest(): string {
    return this.module.json("digest");
  }

  weight_digests(): Record<string, string> {
    const digest = ({ name, shape, values }: TensorAddress) => {
      const numbers = this.module.floats(values, sizeOf(shape));
      return [name, hex(sha256(new Uint8Array(numbers.buffer))).slice(0, 16)];
    };
    return Object.fromEntries(this.module.json<TensorAddress[]>("weights").map(digest));
  }

  #matrix(matrix: MatrixJson & Partial<MatrixAddress>): MatrixJson {
    const { rows, cols, doubles, floats } = matrix;
    if (doubles !== undefined) return { rows, cols, numbers: this.module.doubles(doubles, rows * cols) };
    if (floats !== undefined) return { rows, cols, numbers: this.module.floats(floats, rows * cols) };
    return matrix;
  }
}

function cellsOf(masks?: Masks): Uint8Array {
  if (!masks) return new Uint8Array(0);
  const parts = [masks.encoder_padding, masks.decoder_combined, masks.cross_padding].map(({ blocked }) => blocked);
  const cells = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    cells.set(part, at);
    at += part.length;
  }
  return cells;
}

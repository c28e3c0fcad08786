// An engine for tests: that of the page, in this process. It emulates the fused multiply-add, because not every node
// has relaxed SIMD; the bits are the same.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { LocalEngine } from "../engine/local_engine";
import { WasmModule } from "../engine/wasm";

const project = new URL("../../../", `file://${process.cwd()}/test/`); // npm runs tests in src/web
export const readProject = (file) => readFile(new URL(file, project), "utf8");

export const packedModule = readFileSync(new URL("src/web/dist/engine_emulated.wasm.gz", project));

export async function startEngine() {
  return new LocalEngine(await WasmModule.start(gunzipSync(packedModule)), "emulated");
}

/// configs/debug.yaml.
const DEBUG = {
  "tokenizer.vocabulary_size": "100",
  "model.d_model": "8",
  "model.heads": "2",
  "model.encoder_layers": "1",
  "model.decoder_layers": "1",
  "model.d_ff": "16",
  "model.dropout": "0",
  "model.embedding_dropout": "0",
  "training.max_tokens": "64",
  "training.shards": "1",
  "training.label_smoothing": "0",
  "training.schedule.learning_rate": "0.02",
  "training.schedule.warmup": "10",
};

/// A model of two sentences, eight numbers wide.
export async function debugModel(changed = {}) {
  const engine = await startEngine();
  const text = { source: await readProject("data/debug/train.en"), target: await readProject("data/debug/train.de") };
  return { engine, created: engine.create({ ...DEBUG, ...changed }, text), text };
}

/// A tiny model that translates words to themselves, backwards, after some updates.
export async function tinyEngine(updates, changed = {}) {
  const engine = await startEngine();
  const words = ["red", "green", "blue", "black", "white"];
  const lines = words.flatMap((a) => words.flatMap((b) => words.map((c) => [a, b, c])));
  const text = (sentences) => sentences.map((sentence) => sentence.join(" ") + "\n").join("");
  const values = { "model.d_model": "16", "model.heads": "2", "model.d_ff": "32", "training.max_tokens": "256" };
  engine.create(
    { ...values, "model.encoder_layers": "1", "model.decoder_layers": "1", ...changed },
    {
      source: text(lines),
      target: text(lines.map((line) => line.toReversed())),
    },
  );
  for (let i = 0; i < updates; ++i) engine.step();
  return engine;
}

// An engine for tests: that of the page, in this process. It emulates the fused multiply-add, because not every node
// has relaxed SIMD; the bits are the same.
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { LocalEngine } from "../engine/local_engine";
import { WasmModule } from "../engine/wasm";

const project = new URL("../../../", `file://${process.cwd()}/test/`); // npm runs tests in src/web
export const readProject = (file) => readFile(new URL(file, project), "utf8");

export async function startEngine() {
  const packed = await readFile(new URL("src/web/dist/engine_emulated.wasm.gz", project));
  return new LocalEngine(await WasmModule.start(gunzipSync(packed)), "emulated");
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

// The engine in node. The module that emulates multiply-add needs no flag, and has the same bits.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { LocalEngine } from "../engine/local_engine.ts";
import { WasmModule } from "../engine/wasm.ts";

const module = join(process.env.GLASSFORMER_SOURCES, "web/dist/engine_emulated.wasm.gz");

/// A tiny model that translates words to themselves, backwards, after some updates.
export async function tinyEngine(updates, changed = {}) {
  const engine = new LocalEngine(await WasmModule.start(gunzipSync(readFileSync(module))), "emulated");
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

// Records what the intact toy does: its loss after every update, and its scores at some of them. The section "Break it"
// of the live page compares broken models with it.
//
//   node record_toy.mjs [UPDATES]     writes live/intact_toy.json; by default 600 updates, a few minutes
//   node record_toy.mjs 400 KEY=VALUE ...     prints the same for a changed model instead
import { build } from "esbuild";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { setFlagsFromString } from "node:v8";
import { plugins } from "./build.mjs";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // in node 20
const root = fileURLToPath(new URL(".", import.meta.url));
const contents = `
export { default as toy } from "config:toy";
export { LocalEngine } from "./engine/local_engine";
export { WasmModule } from "./engine/wasm";
export { scoreModel } from "./live/break_scores";
export { nextStop } from "./live/training_plan";
`;
const directory = await mkdtemp(join(tmpdir(), "record_toy_"));
const outfile = join(directory, "parts.mjs");
const stdin = { contents, resolveDir: root, loader: "ts" };
await build({ absWorkingDir: root, stdin, outfile, bundle: true, platform: "node", format: "esm", plugins });
const { toy, LocalEngine, WasmModule, scoreModel, nextStop } = await import(pathToFileURL(outfile));
await rm(directory, { recursive: true });

const unpack = (text) => JSON.parse(gunzipSync(Buffer.from(text, "base64")));
const [updates = "600", ...changes] = process.argv.slice(2);
const changed = Object.fromEntries(changes.map((change) => change.split("=")));
const module = await WasmModule.start(gunzipSync(await readFile(join(root, "dist/engine.wasm.gz"))));
const engine = new LocalEngine(module, "fused");
const known = new Set(engine.settings().map(({ key }) => key));
const values = Object.fromEntries(Object.entries(toy.values).filter(([key]) => known.has(key)));
engine.create({ ...values, ...changed }, unpack(toy.text));
const losses = [];
const scores = [];
for (let update = 1; update <= Number(updates); ++update) {
  losses.push(Number(engine.step().loss.toPrecision(5)));
  if (update === Number(updates) || nextStop(update - 1) === update || update % 100 === 0) {
    scores.push(await scoreModel(engine, unpack(toy.test), update));
    console.log(update, JSON.stringify(scores.at(-1)), losses.at(-1));
  }
}
if (changes.length === 0) {
  await writeFile(join(root, "live/intact_toy.json"), `${JSON.stringify({ losses, scores })}\n`);
}

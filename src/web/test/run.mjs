// Bundles the tests and runs them in node, without a browser.
//
//   node test/run.mjs [TRACE]...    JSON traces of `glassformer explain`, for the tests that need them
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { plugins } from "../build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const tests = (await readdir(join(root, "test"))).filter((name) => name.endsWith(".test.mjs"));
const directory = await mkdtemp(join(tmpdir(), "web_test_"));
await build({
  absWorkingDir: root,
  entryPoints: tests.map((name) => join("test", name)),
  outdir: directory,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
  plugins,
  sourcemap: "inline",
  logLevel: "warning",
});
const traces = process.argv.slice(2).map((path) => resolve(path));
const files = tests.map((name) => join(directory, name));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...files], {
  stdio: "inherit",
  cwd: root, // tests find the files of the project from there
  env: { ...process.env, GLASSFORMER_TRACES: traces.join(delimiter), GLASSFORMER_SOURCES: resolve(root, "..") },
});
await rm(directory, { recursive: true });
process.exit(status ?? 1);

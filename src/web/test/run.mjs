// Runs test/*.test.mjs with Node's own test runner. They may import the sources of the pages, so they are bundled first.
//
//   node test/run.mjs [ARGUMENTS OF node --test]
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const directory = fileURLToPath(new URL(".", import.meta.url));
const tests = (await readdir(directory)).filter((name) => name.endsWith(".test.mjs"));
const output = await mkdtemp(join(tmpdir(), "glassformer_pages_"));
let status = 1;
try {
  await build({
    absWorkingDir: directory,
    entryPoints: tests,
    outdir: output,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    sourcemap: "inline",
    logLevel: "warning",
  });
  const files = tests.map((name) => join(output, name));
  const node = [process.execPath, ["--enable-source-maps", "--test", ...process.argv.slice(2), ...files]];
  status = spawnSync(...node, { stdio: "inherit" }).status ?? 1;
} finally {
  await rm(output, { recursive: true, force: true });
}
process.exitCode = status;

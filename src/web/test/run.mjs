// Runs the tests of this directory (NAME.test.mjs): bundles each, because Node cannot import TypeScript, and gives the
// bundles to Node's test runner.
//
//   node test/run.mjs            all
//   node test/run.mjs course     those whose names contain "course"
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv[2] ?? "";
const names = (await readdir(root)).filter((name) => name.endsWith(".test.mjs") && name.includes(wanted)).sort();
if (names.length === 0) {
  console.error(`test/run.mjs: no test has a name with "${wanted}"`);
  process.exit(1);
}
const output = await mkdtemp(join(tmpdir(), "glassformer-tests-"));
await build({
  absWorkingDir: root,
  entryPoints: names,
  outdir: output,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = names.map((name) => join(output, name));
// The working directory is src/web, so tests find the files of the project from there.
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], {
  cwd: join(root, ".."),
  stdio: "inherit",
});
await rm(output, { recursive: true });
process.exit(run.status ?? 1);

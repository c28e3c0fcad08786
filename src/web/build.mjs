// Bundles the pages. For each entry point, it writes one script and, if the entry imports styles, one style sheet.
// The result depends only on the sources and package-lock.json.
//
//   node build.mjs [DIRECTORY]    writes to DIRECTORY instead of dist
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/// NAME: its main file. The bundle is dist/NAME.js and dist/NAME.css.
const ENTRIES = {
  explain: "explain/main.tsx",
};
/// HTML files that are copied to dist, as NAME.html.
const FRAMES = {
  explain: "explain/page.html",
};
const LICENCES = `/* Contains Preact, copyright (c) 2015-present Jason Miller, and @preact/signals, copyright (c) 2022-present
Preact Team, both under the MIT License. */`;

const root = fileURLToPath(new URL(".", import.meta.url));
const dist = join(root, "dist");
const output = process.argv[2] ?? dist;

if (output === dist) await rm(dist, { recursive: true, force: true });
await mkdir(output, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ENTRIES,
  outdir: output,
  bundle: true,
  minify: true,
  format: "iife", // the page is one file, so it cannot import modules
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: LICENCES },
  logLevel: "warning",
});
for (const [name, file] of Object.entries(FRAMES)) await copyFile(join(root, file), join(output, `${name}.html`));

// Bundles the pages. For each entry point, it writes one script and, if the entry imports styles, one style sheet.
// The result depends only on the sources and package-lock.json.
//
//   node build.mjs [DIRECTORY]    writes to DIRECTORY instead of dist
import { build } from "esbuild";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { parse } from "yaml";

/// NAME: its main file. The bundle is dist/NAME.js and dist/NAME.css.
const ENTRIES = {
  explain: "explain/main.tsx",
  live: "live/main.tsx",
};
/// HTML files that are copied to dist, as NAME.html.
const FRAMES = {
  explain: "explain/page.html",
  live: "live/page.html",
};
const LICENCES = `/* Contains Preact, copyright (c) 2015-present Jason Miller, and @preact/signals, copyright (c) 2022-present
Preact Team, both under the MIT License. The live page also contains uPlot, copyright (c) 2022 Leon Sorokin, and
@noble/hashes, copyright (c) 2022 Paul Miller, both under the MIT License. */`;

const root = fileURLToPath(new URL(".", import.meta.url));
const output = process.argv[2] ?? join(root, "dist");

const options = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: "iife", // the page is one file, so it cannot import modules
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

/// import script from "worker:FILE": the bundled script of a worker, as text.
const workers = {
  name: "workers",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^worker:/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice("worker:".length)),
      namespace: "worker",
    }));
    onLoad({ filter: /./, namespace: "worker" }, async ({ path }) => {
      const { outputFiles } = await build({ ...options, entryPoints: [path], write: false });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};

/// import start from "config:NAME": a config of the project, its training text, and its first test text or null:
/// {values: {KEY: VALUE}, text, test}. A text is base64 of gzipped JSON, {source, target}.
const configs = {
  name: "configs",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^config:/ }, ({ path }) => ({
      path: resolve(root, "../../configs", `${path.slice("config:".length)}.yaml`),
      namespace: "config",
    }));
    onLoad({ filter: /./, namespace: "config" }, async ({ path }) => {
      const values = await readConfig(path);
      const [test] = values["data.tests"].split(",");
      const start = { values, text: await packText(values, "train"), test: test && (await packText(values, test)) };
      delete values["data.directory"]; // a path on this machine
      return { contents: JSON.stringify(start), loader: "json" };
    });
  },
};

/// import text from "source:FILE": a file of the project as text, such as "source:src/training/optimizer.cpp".
const sources = {
  name: "sources",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^source:/ }, ({ path }) => ({
      path: resolve(root, "../..", path.slice("source:".length)),
      namespace: "source",
    }));
    onLoad({ filter: /./, namespace: "source" }, async ({ path }) => ({
      contents: await readFile(path, "utf8"),
      loader: "text",
    }));
  },
};

async function packText(values, name) {
  const side = (key) => readFile(resolve(values["data.directory"], `${name}.${values[key]}`), "utf8");
  const text = { source: await side("data.source_language"), target: await side("data.target_language") };
  const packed = gzipSync(JSON.stringify(text), { level: 9 });
  packed[9] = 255; // the system that packed it: unknown
  return packed.toString("base64");
}

/// The keys of a config file and of its base, with dots. The directory of the text is absolute.
async function readConfig(path) {
  const yaml = parse(await readFile(path, "utf8"), { intAsBigInt: true });
  const { base, ...sections } = yaml;
  const own = flatten(sections);
  if (own["data.directory"]) own["data.directory"] = resolve(dirname(path), own["data.directory"]);
  return { ...(base ? await readConfig(resolve(dirname(path), base)) : {}), ...own };
}

const flatten = (tree, prefix = "") =>
  Object.assign(
    {},
    ...Object.entries(tree).map(([name, value]) => {
      const key = prefix + name;
      const isSection = typeof value === "object" && value !== null && !Array.isArray(value);
      return isSection ? flatten(value, `${key}.`) : { [key]: String(value) };
    }),
  );

export const plugins = [workers, configs, sources];

// (The engine is also in dist; scripts/live.sh makes it.)
async function buildPages() {
  await mkdir(output, { recursive: true });
  await build({ ...options, entryPoints: ENTRIES, outdir: output, plugins, banner: { js: LICENCES } });
  for (const [name, file] of Object.entries(FRAMES)) await copyFile(join(root, file), join(output, `${name}.html`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPages();

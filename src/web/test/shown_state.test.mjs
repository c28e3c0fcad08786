// What the page computes beside its pass: only while it is shown, and what was asked for last.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { pageFiles } from "./page_in_node.mjs";
import { missingFeatures } from "../live/browser_features.ts";
import { comparePasses, forgetPasses, passes } from "../live/company/company_state.ts";
import { courseProblem, showChapter, source } from "../live/course_state.ts";
import { isOpen, isShown, shown } from "../live/digest_state.ts";
import { created, engine, error, generation, run } from "../live/engine_state.ts";
import { headsOff, pairs } from "../live/pass_state.ts";
import { readingOf, setDrafts } from "../live/text/text_state.ts";
import { position } from "../live/training_state.ts";
import { debugModel } from "./engine.mjs";

const HEAD = "decoder.layers.0.encoder_attn 1";
const settled = () => run("waiting", async () => {});

/// The page has a debug model. Returns what the engine was asked to do.
async function begin(changed = {}) {
  const model = await debugModel();
  const asked = [];
  engine.value = new Proxy(model.engine, {
    get: (local, name) =>
      changed[name] ??
      (typeof local[name] === "function"
        ? async (...args) => (asked.push([name, ...args]), local[name](...args))
        : undefined),
  });
  created.value = model.created;
  generation.value += 1;
  await settled();
  return asked;
}

afterEach(() => {
  headsOff.value = [];
});

test("an older reading does not take the place of a newer one", async () => {
  const waiting = [];
  await begin({ tokens: (_, sentence) => new Promise((resolve) => waiting.push([sentence, resolve])) });
  const answer = (from) => {
    for (const [sentence, resolve] of waiting.splice(from)) resolve({ ids: [], tokens: [], unknown: [sentence] });
  };
  const type = (text) => setDrafts([{ id: 1, source: text, target: text }]);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
  waiting.length = 0;
  type("old");
  await pause();
  assert.deepEqual(waiting.map(([sentence]) => sentence).at(-1), "old");
  const before = waiting.length;
  type("new");
  await pause();
  while (waiting.length > before) {
    answer(before);
    await pause();
  }
  assert.deepEqual(readingOf("source", "new").unknown, ["new"]);
  while (waiting.length > 0) {
    answer(0);
    await pause();
  }
  assert.deepEqual(readingOf("source", "new").unknown, ["new"]);
  assert.equal(readingOf("source", "old"), null);
});

test("the comparison has the heads of the page, and is forgotten when the page does not show it", async () => {
  const asked = await begin();
  headsOff.value = [HEAD];
  await settled();
  await engine.value.turn_off_heads([]); // whatever was left
  asked.length = 0;
  const company = { source: "the small dog sees a house .", target: "x" };
  await comparePasses(pairs.value[0], company);
  assert.deepEqual(asked[0], ["turn_off_heads", [HEAD]]);
  assert.ok(passes.value !== null && error.value === null);
  const late = comparePasses(pairs.value[0], company);
  forgetPasses();
  await late;
  assert.equal(passes.value, null);
});

test("the digest is computed only where the reader sees it", async () => {
  const asked = await begin();
  const digests = () => asked.filter(([name]) => name === "digest").length;
  isOpen.value = true;
  await settled();
  assert.equal(digests(), 0);
  isShown.value = true;
  await settled();
  assert.deepEqual([digests(), shown.value.digest, shown.value.comparison], [1, await engine.value.digest(), null]);
  isShown.value = false;
  position.value = 7;
  await settled();
  assert.equal(digests(), 2);
});

test("the course can be opened after it could not", async () => {
  pageFiles["course.json"] = "this is not base64 of gzipped JSON";
  const done = async () => {
    while (courseProblem.value === null && !source.value) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  showChapter({ kind: "index" }, true);
  await done();
  assert.notEqual(courseProblem.value, null);
  pageFiles["course.json"] = gzipSync(JSON.stringify({ index: [], pages: {} })).toString("base64");
  showChapter({ kind: "index" }, true);
  await done();
  assert.deepEqual([courseProblem.value, source.value !== null], [null, true]);
});

test("a browser that cannot run the engine is told so", () => {
  const complete = { WebAssembly: {}, Worker: {}, DecompressionStream: {}, Array };
  assert.equal(missingFeatures(complete), null);
  const { DecompressionStream: _, ...old } = complete;
  const message = missingFeatures(old);
  assert.match(message, /has no DecompressionStream .*Firefox 121/);
  assert.doesNotMatch(message, /web worker/);
  assert.match(missingFeatures({ ...complete, Array: class {} }), /has no Array\.prototype\.toSpliced/);
});

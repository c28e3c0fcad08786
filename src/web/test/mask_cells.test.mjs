// Flipping cells, rows, columns and whole masks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedMasks, differences, fits, flip, ownMasks, withCells } from "../live/masks/mask_cells";
import { blockedBy, isFlipped, openedAgainst } from "../trace/reasons";
import { Trace } from "../trace/trace";
import json from "./mask_variants/all_masks.json";

const trace = new Trace(json);
const own = ownMasks(trace);
const name = "decoder_combined";
const { queries, keys } = own[name];
const at = (masks, sentence, query, key) => masks[name].blocked[(sentence * queries + query) * keys + key];

test("a flipped cell differs, and flipped back it does not; nothing is changed in place", () => {
  const before = own[name].blocked.slice();
  const place = { sentence: 1, query: 2, key: 1 };
  const once = flip(own, name, [1], place, "cell");
  assert.equal(at(own, 1, 2, 1), 0);
  assert.equal(at(once, 1, 2, 1), 1);
  assert.equal(differences(own, once, name, [0, 1, 2]), 1);
  assert.deepEqual(changedMasks(own, once), [name]);
  assert.deepEqual(changedMasks(own, flip(once, name, [1], place, "cell")), []);
  assert.deepEqual(own[name].blocked, before);
});

test("a row and a column get the new state of the flipped cell", () => {
  const row = flip(own, name, [1], { sentence: 1, query: 0, key: 3 }, "row"); // blocked: opens the row
  for (let key = 0; key < keys; ++key) assert.equal(at(row, 1, 0, key), 0);
  assert.equal(at(row, 1, 1, 3), at(own, 1, 1, 3));
  const column = flip(own, name, [0, 1, 2], { sentence: 1, query: 2, key: 0 }, "column");
  for (const sentence of [0, 1, 2]) {
    for (let query = 0; query < queries; ++query) assert.equal(at(column, sentence, query, 0), 1);
    assert.equal(at(column, sentence, 2, 1), at(own, sentence, 2, 1));
  }
});

test("other sentences stay as they are", () => {
  const all = withCells(own, name, [2], () => true);
  assert.equal(differences(own, all, name, [0, 1]), 0);
  assert.equal(at(all, 2, 0, 0), 1);
});

test("masks fit a batch of their shape only", () => {
  assert(fits(own, trace));
  assert(!fits({ ...own, [name]: { ...own[name], keys: keys + 1 } }, trace));
});

test("the trace says which cells the reader has blocked, and which opened", () => {
  const changed = flip(
    flip(own, name, [1], { sentence: 1, query: 2, key: 1 }, "cell"),
    name,
    [1],
    {
      ...{ sentence: 1, query: 0, key: 3 },
    },
    "cell",
  );
  const { sentences } = own[name];
  const mask = { rows: sentences * queries, cols: keys, numbers: Float32Array.from(changed[name].blocked) };
  const variant = { ...json.what_if[0], masks: { ...json.what_if[0].masks, [name]: mask } };
  const flipped = new Trace({ ...json, what_if: [variant] });
  assert.deepEqual(blockedBy(flipped, "decoder self", 1, 2, 1), ["reader"]);
  assert.deepEqual(openedAgainst(flipped, "decoder self", 1, 2, 1), []);
  assert.deepEqual(blockedBy(flipped, "decoder self", 1, 0, 3), []);
  assert.deepEqual(openedAgainst(flipped, "decoder self", 1, 0, 3), ["future"]);
  assert.deepEqual(blockedBy(flipped, "decoder self", 1, 0, 4), ["future"]);
  assert.deepEqual(openedAgainst(flipped, "decoder self", 1, 0, 0), []);
  assert(isFlipped(flipped, "decoder self") && !isFlipped(flipped, "cross") && !isFlipped(trace, "decoder self"));
});

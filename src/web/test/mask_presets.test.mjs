// The presets are those of src/page/mask_variants.cpp. The traces in mask_variants come from debug models that were trained
// with all masks, without the look-ahead mask, and without padding masks; reduce_mask_variants.mjs reduced them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { maskPresets } from "../live/masks/mask_presets";
import { livePresets } from "../live/masks/live_presets";
import { ownMasks } from "../live/masks/mask_cells";
import { ATTENTION_KINDS, KINDS } from "../trace/names";
import { maskOfSentence } from "../trace/reasons";
import { Trace } from "../trace/trace";
import allMasks from "./mask_variants/all_masks.json";
import noLookAhead from "./mask_variants/no_look_ahead.json";
import noPadding from "./mask_variants/no_padding.json";

const straight = (text) => text.replaceAll("’", "'");

/// The cells of a variant's mask, sentence by sentence and row by row.
function cellsOf(trace, kind, json) {
  const { rows } = ATTENTION_KINDS[kind];
  const cells = [];
  for (let sentence = 0; sentence < trace.sentences; ++sentence) {
    const mask = maskOfSentence(trace.matrix(json), trace.sentences, sentence, trace[rows].length);
    for (let row = 0; row < mask.rows; ++row) for (let col = 0; col < mask.cols; ++col) cells.push(mask.at(row, col));
  }
  return cells;
}

function assertCells(trace, masks, expected, message) {
  for (const kind of KINDS) {
    const { mask } = ATTENTION_KINDS[kind];
    assert.deepEqual([...masks[mask].blocked], cellsOf(trace, kind, expected[mask]), `${message}: ${mask}`);
  }
}

for (const [name, json] of Object.entries({ allMasks, noLookAhead, noPadding })) {
  const trace = new Trace(json);
  test(`${name}: the model's own masks`, () => assertCells(trace, ownMasks(trace), trace.own.masks, "own"));

  test(`${name}: the presets have the names, texts and cells of the program`, () => {
    const presets = maskPresets(trace);
    const expected = json.what_if.slice(1);
    assert.deepEqual(
      presets.map((preset) => [preset.name, preset.title, straight(preset.says), preset.changed]),
      expected.map((variant) => [variant.name, variant.title, variant.says, variant.changed]),
    );
    presets.forEach((preset, i) => assertCells(trace, preset.masks, expected[i].masks, preset.name));
  });
}

test("the live page adds the target padding mask, if leaving it out changes a cell", () => {
  const added = (json) => livePresets(new Trace(json)).filter(({ name }) => name === "no_target_padding");
  const [preset] = added(allMasks);
  assert.deepEqual(preset.changed, ["decoder_combined"]);
  assert.match(preset.says, /stay the same/);
  assert.match(added(noLookAhead)[0].says, /words attend to the padding/);
  assert.deepEqual(added(noPadding), []);
  assert.equal(livePresets(new Trace(allMasks)).length, maskPresets(new Trace(allMasks)).length + 1);
});

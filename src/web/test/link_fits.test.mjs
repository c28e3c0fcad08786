// Whether a link's masks and heads fit is known before its model is made: the engine's own pass agrees.
import assert from "node:assert/strict";
import test from "node:test";
import { misfit } from "../live/link_fits.ts";
import { Trace } from "../trace/trace.ts";
import { tinyEngine } from "./engine.mjs";

const VALUES = { "model.heads": "2", "model.encoder_layers": "1", "model.decoder_layers": "2" };
const engine = await tinyEngine(0, VALUES);
const BATCHES = [
  [{ source: "red", target: "blue  green" }],
  [
    { source: "red green\u00a0unicorn", target: "" },
    { source: "", target: "red" },
  ],
  [{ source: "", target: "" }],
];
const HEADS = "off: this model does not have these heads";
const LENGTHS = "masks: they are for sentences of other lengths";

const masksOf = (queries, keys) => ({ cross_padding: { queries, keys } });

test("masks fit the lengths that the engine's pass has, and no others", () => {
  for (const pairs of BATCHES) {
    const { source, target } = new Trace(engine.trace(pairs));
    const check = (queries, keys) => misfit({ masks: masksOf(queries, keys), headsOff: [] }, VALUES, pairs);
    assert.equal(check(target.length, source.length), null);
    for (const [more, less] of [
      [1, 0],
      [0, 1],
    ]) {
      assert.equal(check(target.length + more, source.length + less), LENGTHS);
      assert.equal(check(target.length - more, source.length - less), LENGTHS);
    }
  }
});

test("the heads that the engine's pass has are accepted, and no others", () => {
  const { attention, model } = engine.trace(BATCHES[0]);
  const all = attention.flatMap(({ part }) => Array.from({ length: model.heads }, (_, head) => `${part} ${head}`));
  const check = (headsOff) => misfit({ masks: null, headsOff }, VALUES, BATCHES[0]);
  assert.equal(all.length, 10);
  assert.equal(check(all), null);
  for (const head of [
    "encoder.layers.0.self_attn 2",
    "encoder.layers.1.self_attn 0",
    "encoder.layers.0.encoder_attn 0",
    "decoder.layers.2.self_attn 0",
    "x 0",
  ]) {
    assert.equal(check([all[0], head]), HEADS, head);
  }
});

// Which blocks the map has, what they say, and which steps they lead to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { maskRuns } from "../figures/mask_runs";
import { openLayers } from "../figures/model_map_layers";
import { blocksOf, layoutOf } from "../figures/model_map_layout";
import { shapeText } from "../figures/model_map_shapes";
import { blockOfPart, firstSteps, stepInDirection } from "../figures/model_map_steps";
import { ATTENTION_KINDS, KINDS } from "../trace/names";
import { maskOfSentence } from "../trace/reasons";
import { FILES, forEachLayout, traceOf, TRACES } from "./map_traces.mjs";

test("every part that has steps has exactly one block", () => {
  forEachLayout((trace, layout, where) => {
    const blocks = blocksOf(layout);
    const parts = blocks.flatMap((block) => block.parts);
    assert.equal(new Set(parts).size, parts.length, `${where}: two blocks stand for the same part`);
    for (const { part } of trace.steps) assert(blockOfPart(blocks, part), `${where}: no block for ${part}`);
  });
});

test("a part belongs to the innermost block, and an unknown part to none", () => {
  const blocks = blocksOf(layoutOf(traceOf(FILES.pre1), 0));
  const norm = "encoder.layers.0.self_attn_layer_norm";
  for (const some of [blocks, [...blocks].reverse()]) {
    assert.equal(blockOfPart(some, `${norm}.residual.dropout`).id, `${norm}.residual`);
    assert.equal(blockOfPart(some, norm).id, norm);
    assert.equal(blockOfPart(some, "decoder").id, "memory");
    assert.equal(blockOfPart(some, "decoder.something"), undefined);
  }
});

test("blocks have different ids", () => {
  forEachLayout((_, layout, where) => {
    const ids = blocksOf(layout).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, where);
  });
});

test("one or two layers are shown in full, of six only the current one", () => {
  forEachLayout((trace, { frames }, where) => {
    for (const side of ["encoder", "decoder"]) {
      const layers = trace.json.model[`${side}_layers`];
      const expected = layers <= 2 ? layers : 1;
      assert.equal(frames.filter((frame) => frame.side === side).length, expected, where);
    }
  });
  const trace = traceOf(FILES.post6);
  trace.steps.forEach(({ part }, number) => {
    const [, side, layer] = part.match(/^(\w+)\.layers\.(\d)/) ?? [];
    if (side) assert.deepEqual(openLayers(trace, number, side), [Number(layer)], part);
  });
  const sum = FILES.post6.steps.indexOf("backward decoder"); // what the last layer sends to the memory
  assert.deepEqual(openLayers(trace, sum, "decoder"), [5]);
  // At the loss, the decoder's last layer is still open, and on the way back through the encoder, its first one is.
  const [loss, back] = ["forward loss", "backward encoder.embed_tokens"].map((step) => FILES.post6.steps.indexOf(step));
  assert.deepEqual([openLayers(trace, loss, "decoder"), openLayers(trace, back, "decoder")], [[5], [0]]);
});

test("a trace of one layer shows that one in full", () => {
  const trace = traceOf(FILES.oneLayerOf6);
  assert.deepEqual([openLayers(trace, 0, "encoder"), openLayers(trace, 0, "decoder")], [[4], [2]]);
});

test("a block leads to its first step, in the current direction if there is one", () => {
  const trace = traceOf(FILES.pre2);
  const blocks = blocksOf(layoutOf(trace, 0));
  const first = firstSteps(trace, blocks);
  const stepAt = (id, direction) => trace.json.steps[stepInDirection(first.get(id), direction)];
  const show = (id, direction) => `${stepAt(id, direction).direction} ${stepAt(id, direction).part}`;
  const [at, norm] = ["decoder.layers.1", "encoder_attn_layer_norm"];
  assert.equal(show(`${at}.encoder_attn`, "forward"), `forward ${at}.encoder_attn.q_proj`);
  assert.equal(show(`${at}.encoder_attn`, "backward"), `backward ${at}.encoder_attn.out_proj`);
  assert.equal(show(`${at}.${norm}`, "backward"), `backward ${at}.${norm}`);
  assert.equal(show(`${at}.${norm}.residual`, "backward"), `backward ${at}.${norm}.residual`);
  assert.equal(show("memory", "forward"), "backward decoder"); // it has no forward step
  assert.equal(show("softmax", "backward"), "backward loss");
});

test("tied embeddings are marked where they share a table", () => {
  const tied = (json) => blocksOf(layoutOf(traceOf(json), 0)).flatMap(({ id, tied }) => (tied ? [id] : []));
  assert.deepEqual(tied(FILES.noMasks), []);
  assert.deepEqual(tied(FILES.post2), ["decoder.embed_tokens", "decoder.output"]);
  assert.deepEqual(tied(FILES.dropout), ["encoder.embed_tokens", "decoder.embed_tokens", "decoder.output"]);
});

test("shapes have the sizes of the batch", () => {
  const trace = traceOf(FILES.post2);
  assert.equal(shapeText(trace, "B, S, D"), "[3, 10, 64]");
  assert.equal(shapeText(trace, "B, H, T, S"), "[3, 4, 11, 10]");
  const { encoder, decoder } = layoutOf(trace, 0);
  const details = (groups) => groups.flatMap(({ blocks }) => blocks.map(({ id, detail }) => [id, detail]));
  const detail = Object.fromEntries([...details(encoder), ...details(decoder)]);
  assert.equal(detail["encoder.layers.0.self_attn"], "[3, 4, 10, 10]");
  assert.equal(detail["decoder.layers.1.self_attn"], "[3, 4, 11, 11]");
  assert.equal(detail["decoder.layers.1.encoder_attn"], "[3, 4, 11, 10]");
  assert.equal(detail["decoder.layers.1.feed_forward"], "64 → 256 → 64");
  assert.equal(detail.memory, "[3, 10, 64]");
});

test("thumbnails hatch exactly the blocked cells", () => {
  for (const [name, trace] of TRACES) {
    for (const kind of KINDS) {
      for (let sentence = 0; sentence < trace.sentences; ++sentence) {
        const { mask, rows: queries } = ATTENTION_KINDS[kind];
        const cells = maskOfSentence(trace.mask(mask), trace.sentences, sentence, trace[queries].length);
        const { rows, cols, runs } = maskRuns(trace, kind, sentence);
        const found = Array.from({ length: rows }, () => Array(cols).fill(0));
        for (const { row, col, count } of Object.values(runs).flat()) found[row].fill(1, col, col + count);
        const expected = found.map((line, row) => line.map((_, col) => cells.at(row, col)));
        assert.deepEqual(found, expected, `${name}, ${kind}, sentence ${sentence}`);
      }
    }
  }
});

test("a mask says what it combines", () => {
  const labels = (json) =>
    blocksOf(layoutOf(traceOf(json), 0)).flatMap(({ kind, label }) => (kind === "mask" ? label : []));
  assert.deepEqual(labels(FILES.post1), ["source padding", "look-ahead + target padding", "source padding"]);
  assert.deepEqual(labels(FILES.noMasks), ["no mask", "no mask", "no mask"]);
});

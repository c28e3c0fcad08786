// The shape of a recorded matrix in words.
import "./dom.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { sizesOf } from "../figures/model_map_shapes";
import { shapeOf } from "../figures/tensor_figure";

function traceWith(source, target) {
  const side = { length: 3 };
  const json = { vocabulary: { source: Array(source), target: Array(target) }, model: {} };
  return { json, sentences: 1, source: side, target: side };
}
const table = (vocabulary_of, rows) => ({ axes: "V, D", vocabulary_of, values: { rows, cols: 64 } });

test("if the two vocabularies have different sizes, it is said which one V is", () => {
  const trace = traceWith(135, 204);
  assert.equal(shapeOf(trace, table("source", 135)), "V × D = 135 × 64 (source vocabulary)");
  assert.equal(shapeOf(trace, table("target", 204)), "V × D = 204 × 64");
  assert.deepEqual(sizesOf(trace).V, { size: 204, meaning: "target tokens" });
});

test("vocabularies of one size need no names", () => {
  const trace = traceWith(100, 100);
  assert.equal(shapeOf(trace, table("source", 100)), "V × D = 100 × 64");
  assert.deepEqual(sizesOf(trace).V, { size: 100, meaning: "vocabulary" });
});

test("the axis of a large vocabulary is cut, and the text says so", () => {
  const cut = { ...table("source", 2), ids: [4, 7], vocabulary: 5000 };
  const expected = "V × D = 5000 × 64 (source vocabulary), shown for 2 of 5000 tokens";
  assert.equal(shapeOf(traceWith(5000, 6000), cut), expected);
});

test("a shape that has no letters is not written twice", () => {
  const one = { axes: "1, 1", values: { rows: 1, cols: 1 } };
  assert.equal(shapeOf(traceWith(100, 100), one), "1 × 1");
});

// The tour fits every model, and its words are short.
import assert from "node:assert/strict";
import test from "node:test";
import { stepOfStop, STOPS, stopsFor } from "../live/tour_stops.ts";
import { Trace } from "../trace/trace.ts";
import { tinyEngine } from "./engine.mjs";

const SECTIONS = ["text", "masks", "walk", "attention", "answer", "gradient", "update", "train", "search", "break"];
const pairs = [
  { source: "red", target: "red" },
  { source: "red green blue", target: "blue green red" },
];
const post = new Trace((await tinyEngine(0)).trace(pairs));
const other = {
  "model.norm": "pre",
  "model.encoder_layers": "2",
  "model.decoder_layers": "3",
  "masks.look_ahead": "false",
  "model.activation": "gelu",
};
const pre = new Trace((await tinyEngine(0, other)).trace(pairs));

test("about 25 stops, all of which every model has", () => {
  assert.ok(STOPS.length >= 25 && STOPS.length <= 30, String(STOPS.length));
  for (const trace of [post, pre]) {
    assert.deepEqual(
      stopsFor(trace, SECTIONS).map(({ title }) => title),
      STOPS.map(({ title }) => title),
    );
  }
});

test("a step is the one that the stop describes", () => {
  for (const trace of [post, pre]) {
    for (const stop of STOPS.filter(({ step }) => step)) {
      const { direction, part, output } = trace.step(stepOfStop(trace, stop));
      assert.equal(direction, stop.step.direction, stop.title);
      assert.match(part, stop.step.part, stop.title);
      assert.equal(trace.tensor(output).name, stop.step.output, stop.title);
    }
  }
});

test("the steps of the tour are in the order of computation", () => {
  for (const trace of [post, pre]) {
    const numbers = STOPS.filter(({ step }) => step).map((stop) => stepOfStop(trace, stop));
    if (trace === post)
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
    assert.equal(new Set(numbers).size, numbers.length);
  }
});

test("stops of sections that a page does not have are left out", () => {
  const titles = stopsFor(post, ["text", "walk"]);
  assert.ok(titles.length > 10);
  assert.ok(titles.every(({ section }) => section === "text" || section === "walk"));
});

test("a stop says something of two or three sentences, without holes", () => {
  for (const trace of [post, pre]) {
    for (const stop of STOPS) {
      const words = stop.says(trace);
      assert.ok(words.length > 80 && words.length < 340, `${stop.title}: ${words.length} characters`);
      assert.doesNotMatch(words, /undefined|NaN|null|\[object/, stop.title);
    }
  }
});

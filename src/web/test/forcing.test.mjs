import assert from "node:assert/strict";
import { test } from "node:test";
import { driftsAt, positionsOf, textOf } from "../live/forcing";
import { Trace } from "../trace/trace";
import { debugModel } from "./engine.mjs";

const GREEDY = { "decoding.beam": "1", "decoding.early_stopping": "true" };
const PAIR = { source: "she sleeps .", target: "sie schläft ." };

async function afterUpdates(count) {
  const { engine } = await debugModel();
  for (let i = 0; i < count; ++i) engine.step();
  const run = engine.search_tree(PAIR.source, GREEDY);
  return { engine, run, positions: positionsOf(new Trace(engine.trace([PAIR])), 0, run) };
}

test("the free side is what greedy search writes, and each word is the next input", async () => {
  for (const count of [0, 3, 10, 100]) {
    const { engine, run, positions } = await afterUpdates(count);
    const [[greedy]] = engine.translate([PAIR.source], { "decoding.beam": "1" });
    const free = positions.map(({ free }) => free).filter(Boolean);
    const words = free.map(({ says }) => says).filter((word) => word !== "</s>");
    assert.equal(words.join(" "), greedy.text);
    assert.equal(textOf(run), greedy.text);
    assert.deepEqual(
      free.slice(1).map(({ input }) => input),
      free.slice(0, -1).map(({ says }) => says),
    );
  }
});

test("a trained model does not drift, an untrained one does at the first wrong word", async () => {
  const trained = await afterUpdates(100);
  assert.equal(driftsAt(trained.positions), null);
  assert.deepEqual(
    trained.positions.map(({ expected }) => expected),
    ["sie", "schläft", ".", "</s>"],
  );
  assert.ok(trained.positions.every(({ forced, free }) => forced.says === free.says));

  const { positions } = await afterUpdates(0);
  const drift = driftsAt(positions);
  assert.ok(drift > 0);
  assert.equal(positions[drift - 1].sameInput, true);
  assert.notEqual(positions[drift - 1].free.says, positions[drift - 1].expected);
});

test("without a run, only teacher forcing is there", async () => {
  const { engine } = await afterUpdates(0);
  const positions = positionsOf(new Trace(engine.trace([PAIR])), 0, undefined);
  assert.ok(positions.every(({ free, forced }) => free === null && forced !== null));
});

// A broken model in training: its engine is ended when it fails, and when nobody looks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { killEngine, workersAlive } from "./page_in_node.mjs";
import {
  broken,
  brokenUpdates,
  brokenWork,
  leaveBroken,
  showBroken,
  stopBroken,
  trainBroken,
} from "../live/break_state.ts";
import { error } from "../live/engine_state.ts";

/// As small as possible, because the scores translate a lot.
const SMALL = {
  "model.d_model": "4",
  "model.heads": "1",
  "model.d_ff": "4",
  "model.encoder_layers": "1",
  "model.decoder_layers": "1",
  "training.max_tokens": "64",
};
const A = { id: "a", title: "A", changed: { ...SMALL, "model.residual": "false" }, says: "", tells: "" };
const REFUSED = { ...A, id: "b", changed: { "model.heads": "3" } };
const numbers = () => brokenUpdates.value.map(({ number }) => number);

test("a model that cannot be made leaves nothing of the one before", async () => {
  showBroken();
  await trainBroken(A, 1);
  assert.deepEqual([broken.value, numbers(), workersAlive.size, error.value], [A, [1], 1, null]);
  await trainBroken(REFUSED, 1);
  assert.match(error.value, /heads must divide d_model/);
  assert.deepEqual([broken.value, numbers(), workersAlive.size, brokenWork.value], [null, [], 0, null]);
  await trainBroken(REFUSED, 1); // and is not trained under its name
  assert.deepEqual([broken.value, numbers()], [null, []]);
});

test("after the reader has left, it goes on where it was, in another engine", async () => {
  await trainBroken(A, 2);
  const [, second] = brokenUpdates.value;
  leaveBroken();
  assert.equal(workersAlive.size, 0);
  showBroken();
  await trainBroken(A, 1);
  assert.deepEqual([numbers(), workersAlive.size], [[1, 2, 3], 1]);
  assert.equal(brokenUpdates.value[1], second);
  const going = trainBroken(A, 1000);
  leaveBroken();
  assert.equal(workersAlive.size, 1);
  stopBroken();
  await going;
  assert.equal(workersAlive.size, 0);
});

test("an engine that stops is not kept", async () => {
  showBroken();
  const going = trainBroken(A, 1000);
  while (brokenWork.value !== "training") await new Promise((resolve) => setTimeout(resolve, 5));
  killEngine();
  await going;
  assert.deepEqual([error.value, workersAlive.size, broken.value], ["out of memory", 0, null]);
  await trainBroken(A, 1);
  assert.deepEqual([error.value, numbers()], [null, [1]]);
});

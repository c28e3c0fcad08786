// The updates that the page has made, of which some may be missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { curveOf, updateOf, withUpdates } from "../live/update_log";

const updates = (first, last, loss = 1) =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ number: first + i, loss }));
const numbers = (log) => log.map(({ number }) => number);

test("an update is found by its number, wherever the log begins", () => {
  const log = [...updates(3, 5), ...updates(401, 402)];
  for (const number of [3, 5, 401, 402]) assert.equal(updateOf(log, number).number, number);
  for (const number of [0, 2, 6, 400, 403]) assert.equal(updateOf(log, number), null);
  assert.equal(updateOf([], 1), null);
});

test("updates are added behind, before and between, and known ones change nothing", () => {
  const log = withUpdates(withUpdates([], updates(401, 403)), updates(404, 404));
  assert.deepEqual(numbers(log), [401, 402, 403, 404]);
  assert.equal(withUpdates(log, updates(402, 403, 7)), log);
  const both = withUpdates(log, updates(1, 2));
  assert.deepEqual(numbers(both), [1, 2, 401, 402, 403, 404]);
  assert.deepEqual(numbers(withUpdates(both, updates(2, 4))), [1, 2, 3, 4, 401, 402, 403, 404]);
  assert.deepEqual(numbers(withUpdates(both, updates(400, 406))), [1, 2, ...numbers(updates(400, 406))]);
  assert.equal(withUpdates(log, []), log);
});

test("a curve has a gap where updates are missing, and reaches the place where the page is", () => {
  const curve = (log, position) => curveOf(log, position).map(({ number, update }) => (update ? number : -number));
  assert.deepEqual(curve([], 0), []);
  assert.deepEqual(curve([], 400), [-400]);
  assert.deepEqual(curve(updates(1, 3), 0), [1, 2, 3]);
  assert.deepEqual(curve(updates(401, 402), 400), [401, 402]);
  assert.deepEqual(curve(updates(401, 402), 50), [-50, -51, 401, 402]);
  assert.deepEqual(curve([...updates(1, 2), ...updates(401, 402)], 402), [1, 2, -3, 401, 402]);
  assert.deepEqual(curve(updates(1, 2), 400), [1, 2, -400]);
});

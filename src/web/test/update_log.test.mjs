// The updates that the page has made, of which some may be missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rangeOf } from "../figures/curve_options";
import { addUpdates, curveOf, curveStep, EMPTY, updateOf } from "../live/update_log";

const updates = (first, last, loss = 1) =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ number: first + i, loss }));
const numbers = ({ list }) => list.map(({ number }) => number);

const logOf = (...parts) => parts.reduce(addUpdates, EMPTY);

test("an update is found by its number, wherever the log begins", () => {
  const log = logOf(updates(3, 5), updates(401, 402));
  for (const number of [3, 5, 401, 402]) assert.equal(updateOf(log, number).number, number);
  for (const number of [0, 2, 6, 400, 403]) assert.equal(updateOf(log, number), null);
  assert.equal(updateOf(EMPTY, 1), null);
});

test("updates are added behind, before and between, and known ones change nothing", () => {
  const log = logOf(updates(401, 403), updates(404, 404));
  assert.deepEqual(numbers(log), [401, 402, 403, 404]);
  assert.equal(addUpdates(log, updates(402, 403, 7)), log);
  const both = addUpdates(log, updates(1, 2));
  assert.notEqual(both, log);
  assert.deepEqual(numbers(both), [1, 2, 401, 402, 403, 404]);
  assert.deepEqual(numbers(addUpdates(both, updates(2, 4))), [1, 2, 3, 4, 401, 402, 403, 404]);
  assert.deepEqual(numbers(addUpdates(both, updates(400, 406))), [1, 2, 3, 4, ...numbers({ list: updates(400, 406) })]);
  assert.equal(addUpdates(log, []), log);
  assert.deepEqual(numbers(EMPTY), []);
});

test("what a report adds is all that it copies", () => {
  const log = logOf(updates(1, 10));
  assert.equal(addUpdates(log, updates(11, 12)).list, log.list);
});

const curve = (log, position) => curveOf(log, position).map(({ number, update }) => (update ? number : -number));

test("a curve has a gap where updates are missing, and reaches the place where the page is", () => {
  assert.deepEqual(curve(EMPTY, 0), []);
  assert.deepEqual(curve(EMPTY, 400), [-400]);
  assert.deepEqual(curve(logOf(updates(1, 3)), 0), [1, 2, 3]);
  assert.deepEqual(curve(logOf(updates(401, 402)), 400), [401, 402]);
  assert.deepEqual(curve(logOf(updates(401, 402)), 50), [-50, 401, 402]);
  assert.deepEqual(curve(logOf(updates(1, 2), updates(401, 402)), 402), [1, 2, -3, 401, 402]);
  assert.deepEqual(curve(logOf(updates(1, 2)), 400), [1, 2, -400]);
});

test("a curve has about 2,000 places, however long the log is", () => {
  const log = logOf(updates(1, 7001), updates(9001, 9101));
  assert.equal(curveStep(log), 4);
  const places = curve(log, 9101);
  assert.deepEqual(places.slice(0, 3), [1, 5, 9]);
  assert.deepEqual([places.at(-1), places.filter((place) => place < 0)], [9101, [-6998 - 4]]);
  assert.ok(places.length > 1700 && places.length < 2002, String(places.length));
});

test("the x axis ends at the last place of the curve, even if it is the only one", () => {
  assert.deepEqual(rangeOf([]), [0, 1]);
  assert.deepEqual(rangeOf([0]), [0, 1]);
  assert.deepEqual(rangeOf([1350]), [0, 1350]);
  assert.deepEqual(rangeOf([401, 402, 1350]), [401, 1350]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { spread } from "../figures/spread";
import { compareDigests, digestsOf, updatesWithDigests } from "../live/expected_digests";
import { mergeSnapshots } from "../live/snapshots";
import { followDue, mostSnapshots, nextStop, thinOut, updatesUntil } from "../live/training_plan";
import { readProject } from "./engine.mjs";

test("snapshots are taken after 1, 2 or 5 times a power of ten", () => {
  const stops = [0];
  while (stops.length < 9) stops.push(nextStop(stops.at(-1)));
  assert.deepEqual(stops, [0, 10, 20, 50, 100, 200, 500, 1000, 2000]);
  assert.equal(nextStop(47), 50);
});

const at = (...updates) => updates.map((update) => ({ update, name: null, bytes: null }));
const shipped = (...updates) => updates.map((update) => ({ update, name: `update ${update}`, bytes: null }));

test("thinning drops the snapshot that is missed least, never the first or the last", () => {
  assert.deepEqual(thinOut(at(0, 10, 1000), 3), at(0, 10, 1000));
  assert.deepEqual(thinOut(at(0, 10, 500, 510, 520), 4), at(0, 10, 500, 520));
  assert.deepEqual(thinOut(at(0, 1, 2), 2), at(0, 2));
});

test("thinning never drops a snapshot that came with the page, nor counts it", () => {
  const came = shipped(50, 150, 400, 1350);
  const all = (...own) => mergeSnapshots(at(...own), came);
  assert.deepEqual(thinOut(came, 1), came);
  assert.deepEqual(thinOut(all(0, 10, 20), 3), all(0, 10, 20));
  assert.deepEqual(thinOut(all(0, 10, 151, 200, 500), 4), all(0, 10, 200, 500));
  assert.deepEqual(thinOut(all(0, 1400), 1), all(0, 1400));
});

test("the page follows at most twice a second, and takes at most an eighth of the time", () => {
  assert.equal(followDue(1000, 10), 1500);
  assert.equal(followDue(1000, 200), 1000 + 7 * 200);
});

test("as many updates are made as fit, at least one, and none too many", () => {
  assert.equal(updatesUntil(500, null, 0, 100, 0), 1);
  assert.equal(updatesUntil(500, 6, 0, 100, 0), 3);
  assert.equal(updatesUntil(500, 4000, 0, 100, 0), 100);
  assert.equal(updatesUntil(500, 6, 99, 100, 0), 1);
  assert.equal(updatesUntil(0, 6, 0, 100, 900), 1);
});

test("a table has the first and the last row", () => {
  assert.deepEqual(spread(3, 5), [0, 1, 2]);
  assert.deepEqual(spread(101, 5), [0, 25, 50, 75, 100]);
  assert.deepEqual(spread(0, 5), []);
});

test("digests are those of one update of one run", async () => {
  const text = await readProject("data/toy/digests.txt");
  assert.deepEqual(updatesWithDigests(text, "toy"), [0, 1, 50, 1350]);
  const expected = digestsOf(text, "toy", 50);
  assert.equal(Object.keys(expected).length, 87);
  assert.equal(digestsOf(text, "toy", 49), null);
  assert.deepEqual(compareDigests(expected, expected), { equal: 87, all: 87 });
  assert.equal(compareDigests(expected, { ...expected, final_logits_bias: "0" }).equal, 86);
});

test("snapshots take at most 256 MB, but the first and the last are kept", () => {
  assert.deepEqual([1e3, 3e6, 25.6e6, 240e6].map(mostSnapshots), [24, 24, 10, 2]);
});

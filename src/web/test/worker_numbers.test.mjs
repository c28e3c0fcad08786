// Each worker needs a core and a shard.
import assert from "node:assert/strict";
import test from "node:test";
import { whyNoMore, workerNumbers } from "../live/worker_numbers.ts";

test("only numbers that fit are offered", () => {
  for (const [cores, shards, now, expected] of [
    [8, 8, 1, [1, 2, 4]],
    [8, 1, 1, [1]],
    [8, 2, 2, [1, 2]],
    [2, 8, 1, [1, 2]],
    [1, 1, 1, [1]],
    [8, 3, 3, [1, 2, 3]], // a model with three shards has taken the place of one with more
  ]) {
    assert.deepEqual(workerNumbers(cores, shards, now), expected, `${cores} cores, ${shards} shards`);
  }
});

test("the page says why", () => {
  assert.equal(whyNoMore(8, 8), "This machine has 8 cores.");
  assert.equal(whyNoMore(1, 1), "This machine has 1 core.");
  assert.match(whyNoMore(2, 1), /only 1 part \(training\.shards\), and each worker needs one/);
});

// The page's engine, whatever happens to it: other workers, other models, and an engine that stops.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { beforeEach, test } from "node:test";
import { killEngine, pageFiles, workersAlive } from "./page_in_node.mjs";
import { changeWorkers, create, engine, error, run, startWorkers, workers } from "../live/engine_state.ts";
import { all, test as testModel, testedHeadsOff, testing, translated } from "../live/how_good_state.ts";
import { headsOff, pairs, trace, unchanged } from "../live/pass_state.ts";
import { isShown, search } from "../live/search_state.ts";
import { STARTS } from "../live/starts.ts";
import { goTo, position, running, snapshots, stop, train } from "../live/training_state.ts";

const DEBUG = STARTS.find(({ id }) => id === "debug");
const HEAD = "decoder.layers.0.encoder_attn 1";
const loss = () => trace.value.json.loss.mean;

/// Until the engine has done all that was asked for.
async function settled() {
  for (let i = 0; i < 3; ++i) await run("waiting", async () => {});
}

beforeEach(async () => {
  if (!engine.value || engine.value.failure) await startWorkers(1);
  headsOff.value = [];
  await create(DEBUG, { "training.shards": "2" });
  await settled();
  assert.equal(error.value, null);
});

test("heads can be switched off and on after a change of the workers", async () => {
  await train(5);
  headsOff.value = [HEAD];
  await settled();
  const [off, on] = [loss(), unchanged.value.json.loss.mean];
  assert.notEqual(off, on);
  for (const count of [2, 1]) {
    await changeWorkers(count);
    await settled();
    assert.deepEqual([workers.value, workersAlive.size, error.value, loss()], [count, count, null, off]);
    headsOff.value = [];
    await settled();
    assert.deepEqual([error.value, loss(), unchanged.value], [null, on, null]);
    headsOff.value = [HEAD];
    await settled();
    assert.deepEqual([error.value, loss()], [null, off]);
  }
});

test("two workers train with the bits of one", async () => {
  await train(3);
  const digest = await engine.value.digest();
  await changeWorkers(2);
  await create(DEBUG, { "training.shards": "2" });
  await train(3);
  assert.equal(await engine.value.digest(), digest);
  assert.ok((await engine.value.memory()) > 0);
  await create(DEBUG, { "training.shards": "1" }); // it needs one worker
  assert.deepEqual([workers.value, workersAlive.size, error.value], [1, 1, null]);
});

test("a model without a head that is off has all its heads on", async () => {
  headsOff.value = [HEAD, "decoder.layers.0.encoder_attn 0"];
  await settled();
  await create(DEBUG, { "model.heads": "1" });
  await settled();
  assert.deepEqual([error.value, headsOff.value], [null, ["decoder.layers.0.encoder_attn 0"]]);
  assert.equal(trace.value.json.model.heads, 1);
});

test("the search has the heads that the page shows", async () => {
  isShown.value = true;
  await train(5);
  await settled();
  const expected = (heads) =>
    run("expecting", async (engine) => {
      await engine.turn_off_heads(heads);
      return engine.search_tree(pairs.value[0].source, {
        "decoding.beam": "4",
        "decoding.length_penalty": "1",
        "decoding.early_stopping": "false",
      });
    });
  const trees = { on: await expected([]), off: await expected([HEAD]) };
  assert.notDeepEqual(trees.on, trees.off);
  assert.deepEqual(search.value.tree, trees.on);
  headsOff.value = [HEAD];
  await settled();
  assert.deepEqual(search.value.tree, trees.off);
  headsOff.value = [];
  await settled();
  assert.deepEqual(search.value.tree, trees.on);
  isShown.value = false;
});

test("what was refused while the model trained is still said when it has stopped", async () => {
  const trained = train(100_000);
  assert.equal(await create(DEBUG, { "model.heads": "3" }), false);
  await trained;
  await settled();
  assert.match(error.value, /heads must divide d_model/);
  assert.equal(running.value, false);
  await train(1);
  assert.equal(error.value, null);
});

test("what was refused is over when the same is done after all", async () => {
  const refused = run("computing a pass", async (engine) => engine.turn_off_heads(["x 0"]));
  assert.equal(await refused, null);
  assert.match(error.value, /there is no head/);
  await run("reading the update", async () => {});
  assert.notEqual(error.value, null);
  pairs.value = [...pairs.value];
  await settled();
  assert.equal(error.value, null);
});

test("an engine that has stopped is replaced, at the last snapshot", async () => {
  await train(10);
  const digest = await engine.value.digest();
  await train(3);
  await settled();
  const dead = engine.value;
  snapshots.value = snapshots.value.filter(({ update }) => update !== 13);
  killEngine();
  await assert.rejects(dead.digest(), /out of memory/, "no call of it waits for ever");
  assert.equal(await run("asking", (engine) => engine.digest()), null);
  assert.match(error.value, /the engine stopped \(out of memory\), so the page has started it again/);
  assert.deepEqual([position.value, await engine.value.digest(), workersAlive.size], [10, digest, 1]);
  await settled();
  assert.match(error.value, /the engine stopped/);
  await train(1);
  assert.deepEqual([position.value, error.value], [11, null]);
});

test("an engine that stops while it trains ends the training", async () => {
  const trained = train();
  while (position.value === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  killEngine();
  await trained;
  assert.match(error.value, /the engine stopped/);
  assert.deepEqual([running.value, engine.value.failure], [false, null]);
});

test("an engine that stops again and again is not started for ever", async () => {
  for (let i = 0; i < 4; ++i) {
    killEngine();
    await run("asking", (engine) => engine.digest());
  }
  assert.match(error.value, /reload the page/);
  assert.equal(await run("asking", (engine) => engine.digest()), null);
  assert.equal(workersAlive.size, 0);
});

test("an engine that cannot start leaves no worker", async () => {
  const kept = pageFiles["engine_emulated.wasm"];
  pageFiles["engine_emulated.wasm"] = gzipSync("this is no module").toString("base64");
  await assert.rejects(startWorkers(2), { name: "CompileError" });
  delete pageFiles["engine_emulated.wasm"];
  await assert.rejects(startWorkers(2), Error);
  pageFiles["engine_emulated.wasm"] = kept;
  assert.deepEqual([workersAlive.size, workers.value, engine.value.failure], [1, 1, null]);
});

test("after a stop, the page goes to an update nevertheless", async () => {
  const trained = train();
  while (position.value < 5) await new Promise((resolve) => setTimeout(resolve, 5));
  stop();
  await goTo(5);
  await trained;
  assert.equal(position.value, 5);
  const going = goTo(100_000);
  stop();
  await goTo(2);
  await going;
  assert.deepEqual([position.value, error.value], [2, null]);
});

test("the page does not go to an update of a model that has gone", async () => {
  const made = create(DEBUG, { "training.shards": "2" });
  const gone = goTo(30);
  assert.equal(await made, true);
  await gone;
  assert.equal(position.value, 0);
});

test("there must be a snapshot to go back", async () => {
  await train(3);
  snapshots.value = [];
  await goTo(1);
  assert.deepEqual([position.value, running.value], [3, false]);
});

test("a test text that cannot be read is no test for ever", async () => {
  await create({ ...DEBUG, test: () => Promise.reject(new Error("test.txt: expected this file")) });
  await testModel();
  assert.deepEqual([testing.value, error.value], [false, "test.txt: expected this file"]);
});

test("a new model ends the test of the old one", async () => {
  const long = { source: "she\n".repeat(2000), target: "sie\n".repeat(2000) };
  await create({ ...DEBUG, test: async () => long });
  let calls = 0;
  const { translate } = engine.value;
  engine.value.translate = (...args) => (++calls, translate(...args));
  const tested = testModel();
  while (all.value === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await create(DEBUG);
  await tested;
  assert.deepEqual([testing.value, all.value], [false, 0]);
  assert.ok(calls > 0 && calls < 100, `${calls} of 100 chunks`);
});

const short = { source: "she sleeps .\n".repeat(30), target: "sie schläft .\n".repeat(30) };

test("a test says how many heads were off, and is forgotten when heads change", async () => {
  await create({ ...DEBUG, test: async () => short });
  headsOff.value = [HEAD];
  await testModel();
  assert.deepEqual([translated.value.length, all.value, testedHeadsOff.value], [30, 30, 1]);
  headsOff.value = [];
  assert.deepEqual([translated.value.length, all.value], [0, 0]);
  await testModel();
  assert.deepEqual([translated.value.length, testedHeadsOff.value], [30, 0]);
});

test("heads that change during a test end it", async () => {
  const long = { source: "she\n".repeat(2000), target: "sie\n".repeat(2000) };
  await create({ ...DEBUG, test: async () => long });
  const tested = testModel();
  while (all.value === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  headsOff.value = [HEAD];
  await tested;
  await settled();
  assert.deepEqual([testing.value, all.value, translated.value.length, error.value], [false, 0, 0, null]);
});

// Calls by message: what was refused can be tried again; what has failed fails at once from then on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerCalls, Caller, Refusal } from "../engine/calls.ts";
import { Leader } from "../engine/ranks.ts";
import { WasmModule } from "../engine/wasm.ts";

/// A caller, and the functions that answer it.
function connected(functions) {
  const [near, far] = [{}, {}];
  near.postMessage = (data) => queueMicrotask(() => far.onmessage({ data }));
  far.postMessage = (data) => queueMicrotask(() => near.onmessage({ data }));
  answerCalls(far, () => functions);
  return { caller: new Caller(near), channel: near };
}

const functions = {
  add: (a, b) => a + b,
  refuse() {
    throw new Refusal("a: expected a number");
  },
  fail() {
    throw new RangeError("out of memory");
  },
  wait: () => new Promise(() => {}),
};

test("a refusal is told from a failure", async () => {
  const { caller } = connected(functions);
  await assert.rejects(
    caller.call("refuse"),
    (error) => error instanceof Refusal && error.message === "a: expected a number",
  );
  assert.equal(caller.failure, null);
  assert.equal(await caller.call("add", [1, 2]), 3);
  const waiting = caller.call("wait");
  const [failed, waited] = await Promise.allSettled([caller.call("fail"), waiting]);
  for (const { reason } of [failed, waited]) {
    assert.deepEqual([reason.name, reason.message, reason instanceof Refusal], ["RangeError", "out of memory", false]);
  }
  await assert.rejects(caller.call("add", [1, 2]), { name: "RangeError" });
  assert.equal(caller.failure.message, "out of memory");
});

test("calls of an end that has ended are not even sent", async () => {
  const { caller, channel } = connected(functions);
  caller.fail(new Error("it was ended"));
  channel.postMessage = () => assert.fail("a message");
  await assert.rejects(caller.call("add", [1, 2]), /it was ended/);
});

/// A module whose functions these are.
async function moduleOf(exports) {
  const { instantiate } = WebAssembly;
  const memory = new WebAssembly.Memory({ initial: 1 });
  const stack = { value: 4096 };
  let refuse;
  WebAssembly.instantiate = async (_, imports) => {
    refuse = (message) => {
      new Uint8Array(memory.buffer).set(new TextEncoder().encode(message + "\0"), 8);
      imports.page.refuse(8);
    };
    return { instance: { exports: { memory, __stack_pointer: stack, _initialize() {}, ...exports } } };
  };
  try {
    return { module: await WasmModule.start(new Uint8Array()), stack, refuse: (message) => refuse(message) };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

test("a module that has no memory left says so", async () => {
  const { module } = await moduleOf({ allocate: () => 0, read: () => assert.fail("called without an argument") });
  const isFailure = (error) => !(error instanceof Refusal) && error.message === "out of memory";
  assert.throws(() => module.call("read", "text"), isFailure);
  assert.throws(() => module.changeFloats("read", new Float32Array(1)), isFailure);
});

test("after a refusal the module is as before; after a trap nothing of it is called", async () => {
  const released = [];
  const { module, stack, refuse } = await moduleOf({
    allocate: () => 64,
    release: (address) => released.push(address),
    refused() {
      stack.value = 100;
      refuse("a: expected a number");
    },
    traps() {
      throw new WebAssembly.RuntimeError("unreachable");
    },
  });
  assert.throws(
    () => module.call("refused", "x"),
    (error) => error instanceof Refusal && error.message === "a: expected a number",
  );
  assert.deepEqual([released, stack.value], [[64], 4096]);
  assert.throws(() => module.call("traps", "x"), WebAssembly.RuntimeError);
  assert.throws(() => module.changeFloats("traps", new Float32Array(1)), WebAssembly.RuntimeError);
  assert.deepEqual(released, [64]);
});

/// A leader with a follower that has these functions.
function leaderWith(follower) {
  const done = [];
  const engine = {
    create: () => (done.push("create"), { parameters: 1 }),
    restore: () => done.push("restore"),
    run_shards: () => done.push("run_shards"),
    shard_results: () => new Uint8Array(1),
    add_shards: (sum) => sum,
  };
  return { leader: new Leader(engine, [connected(follower).caller.channel]), done };
}

test("a follower that refuses what the leader has done is a failure", async () => {
  for (const call of ["create", "restore"]) {
    const { leader, done } = leaderWith({ create: functions.refuse, restore: functions.refuse });
    await assert.rejects(leader[call]({}, {}), (error) => {
      assert.match(error.message, /a worker failed where the first one did not: a: expected a number/);
      return !(error instanceof Refusal);
    });
    assert.deepEqual(done, [call]);
  }
});

test("a follower that fails in an update leaves no rejection that nobody handles", async () => {
  const unhandled = [];
  const see = (reason) => unhandled.push(reason);
  process.on("unhandledRejection", see);
  const { leader } = leaderWith({ create() {}, run_shards: functions.fail, add_shards: functions.fail });
  await leader.create({}, {});
  await assert.rejects(leader.step(), /out of memory/);
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", see);
  assert.deepEqual(unhandled, []);
});

// Snapshots that came with the page, a run among them, in both forms of the page; and going to them.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { addWhatCame } from "../live/came_with_page";
import { engine, generation, shipped } from "../live/engine_state";
import { notice } from "../live/notice";
import { checkRun, sameSettings, snapshotsOf } from "../live/run_file";
import { STARTS, starts } from "../live/starts";
import { farthest, goTo, position, skipped, snapshots, train, updates } from "../live/training_state";
import { debugModel } from "./engine.mjs";

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const names = (list) => list.map(({ update, name }) => [update, name]);

/// The engine as the page calls it.
const asWorker = (local) => ({
  snapshot: async () => local.snapshot(),
  restore: async (bytes) => local.restore(bytes),
  stop() {},
  async train(count, report) {
    for (let i = 0; i < count; ++i) report([local.step()]);
  },
});

/// A run of the debug model: its snapshots after these updates, and its digests.
async function debugRun(...at) {
  const { engine: local, created, text } = await debugModel();
  const settings = Object.fromEntries(created.settings.map(({ key, value }) => [key, value]));
  const pairs = [{ source: "she sleeps .", target: "sie schläft ." }];
  const run = { name: "runs/debug", settings, ...text, test: null, pairs, snapshots: [] };
  const digests = {};
  for (let update = 0; update <= at.at(-1); ++update) {
    if (update > 0) local.step();
    if (!at.includes(update)) continue;
    digests[update] = local.digest();
    run.snapshots.push({ update, bytes: base64(local.snapshot()) });
  }
  return { run, digests };
}

/// The files of a page, as elements of it or beside it. Calls `see` with the names that are asked for over HTTP.
function putFiles(form, files, see = () => {}) {
  const elements = {};
  if (form === "one file") {
    for (const [name, contents] of Object.entries(files)) elements[name] = base64(gzipSync(contents));
  } else {
    elements.files = JSON.stringify(Object.keys(files).filter((name) => name.endsWith(".json")));
  }
  globalThis.document = { getElementById: (id) => (id in elements ? { textContent: elements[id] } : null) };
  globalThis.fetch = async (name) => {
    see(name);
    return name in files && form !== "one file" ? new Response(files[name]) : new Response("", { status: 404 });
  };
}

const { fetch: usualFetch } = globalThis;
beforeEach(() => {
  starts.value = STARTS;
  notice.value = null;
});
afterEach(() => {
  delete globalThis.document;
  globalThis.fetch = usualFetch;
});

for (const form of ["one file", "a directory"]) {
  describe(`the page is ${form}`, () => {
    test("a run is the first start, with its snapshots", async () => {
      const { run, digests } = await debugRun(0, 10, 20);
      putFiles(form, { "run.json": JSON.stringify(run) });
      assert.equal(await addWhatCame((await debugModel()).created.settings), 20);
      const [first, ...others] = starts.value;
      assert.deepEqual(
        others.map(({ id }) => id),
        ["toy", "reverse", "debug"],
      );
      assert.deepEqual([first.title, first.pairs, first.test], ["runs/debug", run.pairs, null]);
      assert.deepEqual(names(first.snapshots), [
        [10, "update 10"],
        [20, "end of the run, update 20"],
      ]);
      const { engine: local } = await debugModel();
      local.restore(await first.snapshots[1].bytes());
      assert.equal(local.digest(), digests[20]);
      assert.equal(notice.value, null);
    });

    test("a run of the toy only adds snapshots to it", async () => {
      const toy = STARTS[0];
      const { engine: local } = await debugModel();
      const settings = { ...toy.values, "training.schedule.learning_rate": "2e-3" };
      const run = { name: "x", settings, ...(await toy.text()), test: null, pairs: toy.pairs };
      run.snapshots = [{ update: 400, bytes: base64(local.snapshot()) }];
      putFiles(form, { "run.json": JSON.stringify(run) });
      assert.equal(await addWhatCame(local.settings()), 400);
      assert.deepEqual(
        starts.value.map(({ id }) => id),
        ["toy", "reverse", "debug"],
      );
      assert.deepEqual(names(starts.value[0].snapshots), [[400, "end of the run, update 400"]]);
      assert.equal(toy.snapshots, undefined);
    });

    test("snapshots of the toy are read only when they are needed", async () => {
      const asked = [];
      const list = [50, 1350].map((update) => ({ update, file: `snapshots/toy-${update}.bin` }));
      const files = { "toy.json": JSON.stringify({ snapshots: list }) };
      for (const { file, update } of list) files[file] = Buffer.from([update % 256]);
      putFiles(form, files, (name) => asked.push(name));
      assert.equal(await addWhatCame([]), 0);
      const found = starts.value[0].snapshots;
      assert.deepEqual(names(found), [
        [50, "update 50"],
        [1350, "end of training, update 1350"],
      ]);
      assert.deepEqual(asked, form === "one file" ? [] : ["toy.json"]);
      assert.deepEqual([...(await found[0].bytes())], [50]);
    });

    test("a damaged run is refused in words, and the page has its own starts", async () => {
      const { run } = await debugRun(10);
      putFiles(form, { "run.json": JSON.stringify({ ...run, settings: { "model.heads": 2 } }) });
      assert.equal(await addWhatCame([]), 0);
      assert.equal(
        notice.value,
        "What came with the page cannot be opened. run.json: settings: expected strings by key.",
      );
      assert.equal(starts.value.length, 3);
    });
  });
}

test("nothing came with the page, and nothing is asked for", async () => {
  const asked = [];
  putFiles("one file", {}, (name) => asked.push(name));
  assert.equal(await addWhatCame([]), 0);
  assert.deepEqual([asked, notice.value, starts.value], [[], null, STARTS]);
});

test("each part of a run is checked", async () => {
  const { run } = await debugRun(1, 2);
  assert.equal(checkRun(run), run);
  const wrong = { name: 1, settings: null, source: 1, target: null, test: 1, pairs: [] };
  for (const [part, value] of Object.entries({ ...wrong, snapshots: run.snapshots.toReversed() })) {
    assert.throws(() => checkRun({ ...run, [part]: value }), new RegExp(`^Error: run.json: ${part}: expected `));
  }
});

test("settings are the same if they mean the same", () => {
  const defaults = [
    { key: "a", value: "0.001" },
    { key: "b", value: "true" },
  ];
  assert.ok(sameSettings({ a: "1e-3" }, {}, defaults));
  assert.ok(!sameSettings({ a: "2e-3" }, {}, defaults));
  assert.ok(!sameSettings({ b: "false" }, { a: "0.001" }, defaults));
});

describe("going to snapshots", () => {
  let local, run, digests;

  /// An untrained debug model, for which these snapshots came with the page.
  async function begin(change = (run) => run) {
    ({ run, digests } = await debugRun(10, 20, 40));
    ({ engine: local } = await debugModel());
    engine.value = asWorker(local);
    shipped.value = snapshotsOf(change(run));
    generation.value += 1;
  }
  const numbers = () => updates.value.list.map(({ number }) => number);
  const marks = () => snapshots.value.map(({ update }) => update);

  test("a snapshot is there at once, and updates after it are trained", async () => {
    await begin();
    assert.deepEqual([position.value, farthest.value, marks()], [0, 40, [10, 20, 40]]);
    await goTo(40);
    assert.deepEqual([position.value, local.digest(), numbers()], [40, digests[40], []]);
    await goTo(12);
    assert.deepEqual([position.value, numbers()], [12, [11, 12]]);
    await goTo(20);
    assert.deepEqual([local.digest(), numbers()], [digests[20], [11, 12]]);
    await goTo(0);
    assert.equal(position.value, 0);
    await train(10);
    assert.deepEqual([local.digest(), marks()], [digests[10], [0, 10, 20, 40]]);
    await train(10);
    assert.deepEqual([local.digest(), numbers().length, skipped.value], [digests[20], 20, 0]);
    assert.equal(notice.value, null);
  });

  test("there is a way back from an update that it went to by training", async () => {
    await begin((run) => ({ ...run, snapshots: [] }));
    const untrained = local.digest();
    await goTo(12);
    assert.deepEqual([position.value, numbers().length], [12, 12]);
    await goTo(0);
    assert.deepEqual([position.value, local.digest()], [0, untrained]);
  });

  test("a damaged snapshot is left out with one message, and the page stays where it is", async () => {
    await begin((run) => {
      const bytes = Buffer.from(run.snapshots[2].bytes, "base64");
      bytes[200] ^= 1;
      return { ...run, snapshots: run.snapshots.with(2, { update: 40, bytes: base64(bytes) }) };
    });
    await goTo(20);
    await goTo(40);
    assert.equal(
      notice.value,
      "The snapshot of update 40 cannot be used, so the page leaves it out. snapshot: it is damaged or incomplete (its digest is wrong).",
    );
    assert.deepEqual([position.value, local.digest(), marks(), farthest.value], [20, digests[20], [0, 10, 20], 20]);
    await goTo(40); // there is another way
    assert.equal(local.digest(), digests[40]);
  });

  test("a snapshot of another update is left out, and the page says where it is", async () => {
    await begin((run) => ({ ...run, snapshots: run.snapshots.with(2, { ...run.snapshots[1], update: 40 }) }));
    await goTo(40);
    assert.match(notice.value, /The snapshot of update 40 cannot .* it is of update 20\./);
    assert.deepEqual([position.value, local.digest(), marks()], [20, digests[20], [0, 10, 20]]);
  });

  test("a snapshot whose file cannot be read stays in the list", async () => {
    await begin();
    putFiles("a directory", {});
    const missing = () => Promise.reject(new Error("toy-40.bin: expected this file"));
    snapshots.value = snapshots.value.with(2, { update: 40, name: "update 40", bytes: missing });
    await goTo(40);
    assert.deepEqual([notice.value, position.value], ["toy-40.bin: expected this file", 0]);
    assert.deepEqual(marks(), [0, 10, 20, 40]);
  });

  test("how many updates were skipped is known from the snapshot", async () => {
    await begin();
    const { engine: other } = await debugModel({ "training.schedule.learning_rate": "1e38" });
    let made = 0;
    for (let i = 0; i < 15; ++i) made += Number(other.step().skipped);
    assert.ok(made > 0 && made < 15);
    const bytes = other.snapshot();
    engine.value = asWorker(other);
    snapshots.value = [{ update: 15, name: "update 15", bytes: async () => bytes }];
    await goTo(15);
    assert.deepEqual([position.value, skipped.value], [15, made]);
    await train(1);
    assert.equal(skipped.value, made + Number(updates.value.list.at(-1).skipped));
  });
});

// Tests of a page with snapshots of the toy, and of a page with a run in it, in Chromium. The snapshots and the run are
// made here, in the page.
//
//   GLASSFORMER_LIVE   the directory that scripts/live.sh has made
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { BROWSERS } from "./browsers.mjs";
import { serveDirectory } from "./static_server.mjs";

const PROJECT = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const LIVE = process.env.GLASSFORMER_LIVE ?? join(PROJECT, "build/live");
const ONE_FILE = "glassformer-live.html";
const QUIET = "?questions=off";
const addressOf = (...path) => pathToFileURL(join(...path)).href + QUIET;

/// Trains a start in the page. Returns a run with snapshots after these updates, and the model's digest after each.
const makeRun = async ([number, name, at]) => {
  const { glassformer } = window;
  const start = glassformer.STARTS[number];
  await glassformer.create(start);
  const known = (await glassformer.engine.value.settings()).map(({ key }) => key);
  const settings = Object.fromEntries(Object.entries(start.values).filter(([key]) => known.includes(key)));
  const run = { name, settings, ...(await start.text()), test: null, pairs: start.pairs.slice(0, 1), snapshots: [] };
  const digests = {};
  for (const update of at) {
    await glassformer.train(update - glassformer.position.value);
    const bytes = await glassformer.engine.value.snapshot();
    const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    run.snapshots.push({ update, bytes: btoa(letters) });
    digests[update] = await glassformer.engine.value.digest();
  }
  return { run, digests };
};

/// What a reader finds in the page.
const look = async () => {
  const { glassformer } = window;
  return {
    position: glassformer.position.value,
    digest: await glassformer.engine.value.digest(),
    made: glassformer.updates.value.list.map(({ number }) => number),
    marks: [...document.querySelectorAll(".snapshots button")].map((button) => button.textContent.trim()),
    messages: [...document.querySelectorAll("[role=alert]")].map((one) => one.firstChild?.textContent ?? ""),
  };
};

const kind = BROWSERS.chromium;
describe("snapshots", { skip: !kind && "there is no chromium here" }, () => {
  const made = mkdtempSync(join(tmpdir(), "snapshots_"));
  const withToy = join(made, "toy");
  let browser, page, toy, debug;

  before(async () => {
    browser = await kind.start();
    page = await kind.page(browser);
    await page.open(addressOf(LIVE, ONE_FILE));
    debug = await page.run(makeRun, [2, "runs/debug", [10, 20]]);
    toy = await page.run(makeRun, [0, "toy", [2, 4]]);
    writeFileSync(join(made, "toy.json"), JSON.stringify(toy.run));
    const maker = join(PROJECT, "scripts/live_pages.py");
    execFileSync("python3", [maker, withToy, "--snapshots", join(made, "toy.json")], { stdio: "ignore" });
  });
  after(async () => {
    await browser?.close();
    rmSync(made, { recursive: true });
  });

  /// The page as one file with a run in it.
  function fileWith(run) {
    const packed = gzipSync(JSON.stringify(run)).toString("base64");
    const element = `<script type="application/octet-stream" id="run.json">${packed}</script>\n`;
    const path = join(mkdtempSync(join(made, "run_")), ONE_FILE);
    writeFileSync(
      path,
      readFileSync(join(LIVE, ONE_FILE), "utf8").replace("<script", () => `${element}<script`),
    );
    return pathToFileURL(path).href + QUIET;
  }

  /// The page as a directory with a run in it.
  function directoryWith(run) {
    const directory = mkdtempSync(join(made, "run_"));
    const list = `<script type="application/json" id="files">["run.json"]</script>\n`;
    const index = readFileSync(join(LIVE, "index.html"), "utf8").replace("<script", () => `${list}<script`);
    writeFileSync(join(directory, "index.html"), index);
    writeFileSync(join(directory, "run.json"), JSON.stringify(run));
    symlinkSync(join(LIVE, "engine.wasm"), join(directory, "engine.wasm"));
    return directory;
  }

  const press = (name) => page.page.getByRole("button", { name, exact: true }).click();
  const arrived = (update) => page.until((update) => window.glassformer.tracedUpdate.value === update, update);

  for (const form of ["one file", "a directory"]) {
    test(`a snapshot of the toy is there at once, if the page is ${form}`, async () => {
      const server = form === "a directory" && (await serveDirectory(withToy));
      try {
        await page.open(server ? server.address + QUIET : addressOf(withToy, ONE_FILE));
        await page.run(() => (location.hash = "#train"));
        assert.deepEqual((await page.run(look)).marks, ["update 2", "end of training, update 4"]);
        if (server)
          assert.deepEqual(
            server.asked.filter((name) => name.startsWith("snapshots")),
            [],
          );
        await press("end of training, update 4");
        await arrived(4);
        const { messages, ...found } = await page.run(look);
        const marks = ["update 0", "update 2", "end of training, update 4"];
        assert.deepEqual(found, { position: 4, digest: toy.digests[4], made: [], marks });
        assert.deepEqual(messages.filter(Boolean), []);
        if (server)
          assert.deepEqual(
            server.asked.filter((name) => name.startsWith("snap")),
            ["snapshots/toy-4.bin"],
          );
        assert.match(await page.page.innerText("main"), /The curves begin with the next update/);
        await page.run(() => window.glassformer.goTo(3));
        assert.deepEqual((await page.run(look)).made, [3]);
        await page.run(() => window.glassformer.goTo(4));
        assert.equal((await page.run(look)).digest, toy.digests[4]);
      } finally {
        if (server) server.close();
      }
    });
  }

  test("a link goes to a snapshot without training", async () => {
    await page.open(addressOf(withToy, ONE_FILE) + "#link?start=toy&update=4&at=train");
    await arrived(4);
    const { position, digest, made } = await page.run(look);
    assert.deepEqual({ position, digest, made }, { position: 4, digest: toy.digests[4], made: [] });
  });

  for (const form of ["one file", "a directory"]) {
    test(`the page opens with the end of the run in it, if it is ${form}`, async () => {
      const server = form === "a directory" && (await serveDirectory(directoryWith(debug.run)));
      try {
        await page.open(server ? server.address + QUIET : fileWith(debug.run));
        await arrived(20);
        const pairs = await page.run(() => window.glassformer.pairs.value);
        assert.deepEqual(pairs, debug.run.pairs);
        const titles = await page.page.locator(".starts b").allInnerTexts();
        assert.equal(titles[0], "runs/debug");
        await page.run(() => (location.hash = "#train"));
        await press("update 10");
        await arrived(10);
        await page.run(() => window.glassformer.train(10));
        const { digest, made, marks } = await page.run(look);
        assert.equal(digest, debug.digests[20]);
        assert.deepEqual(made, [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
        assert.deepEqual(marks, ["update 0", "update 10", "end of the run, update 20"]);
      } finally {
        if (server) server.close();
      }
    });
  }

  test("a run of the toy is the toy with snapshots", async () => {
    await page.open(fileWith(toy.run));
    await arrived(4);
    assert.equal((await page.run(look)).digest, toy.digests[4]);
    const titles = await page.page.locator(".starts b").allInnerTexts();
    assert.equal(titles.length, 4, titles.join(", "));
  });

  test("nothing complains, and nothing asks a network", () => assert.deepEqual(page.complaints, []));

  test("a damaged snapshot gives one message, and the page goes on without it", async () => {
    const bytes = Buffer.from(debug.run.snapshots[1].bytes, "base64");
    bytes[300] ^= 1;
    const snapshots = debug.run.snapshots.with(1, { update: 20, bytes: bytes.toString("base64") });
    await page.open(fileWith({ ...debug.run, snapshots }));
    await page.until(() => document.querySelector("[role=alert]"));
    await page.run(() => (location.hash = "#train"));
    await press("update 10");
    await arrived(10);
    const { messages, marks } = await page.run(look);
    assert.deepEqual(messages.filter(Boolean), [
      "The snapshot of update 20 cannot be used, so the page leaves it out. snapshot: it is damaged or incomplete (its digest is wrong).",
    ]);
    assert.deepEqual(marks, ["update 0", "update 10"]);
  });
});

// Tests of the live page in Chromium and in Firefox. scripts/dev/test_live.sh builds the page and starts them:
//
//   GLASSFORMER_LIVE   the directory that scripts/live.sh has made
//   NATIVE_TRACE       what `glassformer explain --json` wrote about the toy after 50 updates
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BROWSERS } from "./browsers.mjs";

const PROJECT = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const LIVE = process.env.GLASSFORMER_LIVE ?? join(PROJECT, "build/live");
const FILE = pathToFileURL(join(LIVE, "glassformer-live.html")).href;
const UPDATES = 50;

/// The digests of all tensors of the toy after 50 updates, as the program has them.
const expectedDigests = Object.fromEntries(
  readFileSync(join(PROJECT, "data/toy/digests.txt"), "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([run, update]) => run === "toy" && Number(update) === UPDATES)
    .map(([, , tensor, digest]) => [tensor, digest]),
);

const TYPES = { ".html": "text/html", ".wasm": "application/wasm" };

/// A plain static server, without special headers.
function serve() {
  const server = createServer((request, response) => {
    const name = request.url.split(/[?#]/)[0].replace(/\/$/, "/index.html");
    try {
      const contents = readFileSync(join(LIVE, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(contents);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((started) => server.listen(0, "127.0.0.1", () => started(server)));
}

/// Trains the toy from the start in so many workers. Returns the digests of all tensors.
const trainToy = async ([workers, updates]) => {
  const { glassformer } = window;
  await glassformer.startWorkers(workers);
  await glassformer.create(glassformer.STARTS[0]);
  await glassformer.train(updates);
  return glassformer.engine.value.weight_digests();
};

for (const [name, kind] of Object.entries(BROWSERS)) {
  describe(name, { skip: !kind && `there is no ${name} here` }, () => {
    let browser, page;
    before(async () => {
      browser = await kind.start();
      page = await kind.page(browser);
      await page.open(`${FILE}?questions=off`);
    });
    after(() => browser?.close());

    for (const workers of [2, 1]) {
      test(`the toy has the program's weights after ${UPDATES} updates in ${workers} workers`, async () => {
        assert.equal(Object.keys(expectedDigests).length, 87);
        assert.deepEqual(await page.run(trainToy, [workers, UPDATES]), expectedDigests);
      });
    }

    test("a trace under other masks has the losses of the program's", async () => {
      const native = JSON.parse(readFileSync(process.env.NATIVE_TRACE, "utf8"));
      const pairs = native.sentences.map(({ source, target }) => ({ source, target }));
      assert.ok(native.what_if.length >= 8);
      for (const { name: variant, masks, loss, losses } of native.what_if) {
        const found = await page.run(
          async ([pairs, masks]) => {
            const B = pairs.length;
            const expand = ({ rows, cols, numbers }, queries) => {
              const blocked = new Uint8Array(B * queries * cols);
              for (let b = 0; b < B; ++b) {
                for (let q = 0; q < queries; ++q) {
                  const row = rows === B ? b : b * queries + q;
                  for (let k = 0; k < cols; ++k) blocked[(b * queries + q) * cols + k] = numbers[row * cols + k];
                }
              }
              return { sentences: B, queries, keys: cols, blocked };
            };
            const S = masks.encoder_padding.cols;
            const T = masks.decoder_combined.cols;
            const expanded = {
              encoder_padding: expand(masks.encoder_padding, S),
              decoder_combined: expand(masks.decoder_combined, T),
              cross_padding: expand(masks.cross_padding, T),
            };
            const trace = await window.glassformer.engine.value.trace(pairs, expanded);
            return { loss: trace.loss, losses: trace.what_if[0].losses };
          },
          [pairs, masks],
        );
        assert.deepEqual(found, { loss, losses }, variant);
      }
    });

    test("going back to an update gives the same numbers as before", async () => {
      const found = await page.run(async () => {
        const { glassformer } = window;
        await glassformer.create(glassformer.STARTS[2]);
        await glassformer.train(30);
        const then = await glassformer.engine.value.digest();
        await glassformer.train(40);
        const later = await glassformer.engine.value.digest();
        await glassformer.goTo(30);
        const back = await glassformer.engine.value.digest();
        await glassformer.goTo(70);
        return { then, later, back, again: await glassformer.engine.value.digest() };
      });
      assert.equal(found.back, found.then);
      assert.equal(found.again, found.later);
      assert.notEqual(found.then, found.later);
    });

    test("memory does not grow over 2,000 updates", async () => {
      const [first, last] = await page.run(async () => {
        const { glassformer } = window;
        await glassformer.create(glassformer.STARTS[2]);
        await glassformer.train(200);
        const first = await glassformer.engine.value.memory();
        for (let i = 0; i < 9; ++i) await glassformer.train(200);
        return [first, await glassformer.engine.value.memory()];
      });
      assert.equal(last, first);
    });

    test("any sentence can be shown, and none becomes part of the page", async () => {
      const long = Array.from({ length: 60 }, (_, i) => (i % 2 ? "dog" : "small")).join(" ");
      const sources = ["she sleeps unicorn", "", long, "هي تنام .", '</script><img src=x onerror="window.hacked = 1">'];
      const shown = await page.run(async (sources) => {
        const { glassformer } = window;
        await glassformer.create(glassformer.STARTS[0]);
        const before = glassformer.trace.value;
        glassformer.showPairs(sources.map((source) => ({ source, target: "sie schläft ." })));
        while (glassformer.trace.value === before && !glassformer.error.value) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return {
          error: glassformer.error.value,
          ids: glassformer.trace.value.json.batch.source.ids.map((ids) => ids.filter((id) => id !== 0)),
          hacked: window.hacked,
        };
      }, sources);
      assert.equal(shown.error, null);
      assert.equal(shown.hacked, undefined);
      assert.deepEqual(
        shown.ids.map((ids) => ids.length),
        [4, 1, 61, 4, 6],
      );
      assert.equal(shown.ids[0].at(-2), 3, "an unknown word is <unk>");
    });

    test("the page opens with the text, without a question", async () => {
      const first = await kind.page(browser);
      try {
        await first.open(FILE);
        await first.run(() => localStorage.clear()); // the other page may have switched questions off
        await first.open(FILE);
        await first.until(() => document.querySelector(".view-text .tokens"));
        assert.equal(await first.run(() => document.querySelectorAll(".question").length), 0);
        await first.run(() => void (location.hash = "#masks"));
        await first.until(() => document.querySelector(".view-masks .question"));
      } finally {
        await first.close();
      }
    });

    test("a head can be switched off above its map, and on again", async () => {
      await page.run(async () => {
        await window.glassformer.create(window.glassformer.STARTS[2]);
        await window.glassformer.train(30);
        location.hash = "#attention";
      });
      await page.until(() => document.querySelectorAll(".view-attention .attention .chip").length === 6);
      const loss = () => page.run(() => window.glassformer.trace.value.json.loss.mean);
      const before = await loss();
      await page.run(() => document.querySelector(".view-attention .attention .chip").click());
      await page.until((before) => window.glassformer.trace.value.json.loss.mean !== before, before);
      const found = await page.run(() => ({
        off: [...document.querySelectorAll(".head.off .chip")].map((chip) => chip.textContent),
        map: document.querySelector(".head.off [role=application]").getAttribute("aria-label"),
        note: document.querySelectorAll(".heads-off").length,
      }));
      assert.deepEqual(found.off, ["head 0 off: Encoder self-attention, layer 0"]);
      assert.match(found.map, /head 0, which is off/);
      assert.equal(found.note, 1);
      await page.run(() => document.querySelector(".heads-off button").click());
      await page.until((before) => window.glassformer.trace.value.json.loss.mean === before, before);
      assert.equal(await page.run(() => document.querySelectorAll(".head.off, .heads-off").length), 0);
    });

    test("a wrong setting is refused in words, and the model stays", async () => {
      const found = await page.run(async () => {
        const { glassformer } = window;
        await glassformer.create(glassformer.STARTS[2]);
        const digest = await glassformer.engine.value.digest();
        const made = await glassformer.create(glassformer.STARTS[2], { "model.heads": "3" });
        return { made, error: glassformer.error.value, same: digest === (await glassformer.engine.value.digest()) };
      });
      const error = "model.heads: heads must divide d_model, but 3 does not divide 8; choose, for example, 2 heads";
      assert.deepEqual(found, { made: false, error, same: true });
    });

    test("the directory works on a plain static server", async () => {
      const server = await serve();
      const second = await kind.page(browser);
      try {
        await second.open(`http://127.0.0.1:${server.address().port}/`);
        assert.equal((await second.run(() => window.glassformer.engine.value.about())).self_test, "f871d317be4ce341");
        assert.deepEqual(second.complaints, []);
      } finally {
        await second.close();
        server.close();
      }
    });

    test("nothing complains, and nothing asks a network", () => assert.deepEqual(page.complaints, []));
  });
}

// The engine in Chromium and in Firefox: it has the program's bits, its memory does not grow, and it refuses in words.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FILE, inBrowsers, native, PROJECT, UPDATES } from "./live_page.mjs";

/// The digests of all tensors of the toy after 50 updates, as the program has them.
const expectedDigests = Object.fromEntries(
  readFileSync(join(PROJECT, "data/toy/digests.txt"), "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([run, update]) => run === "toy" && Number(update) === UPDATES)
    .map(([, , tensor, digest]) => [tensor, digest]),
);

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/// Trains the toy from the start in so many workers. Returns the digests of all tensors.
const trainToy = async ([workers, updates]) => {
  const { glassformer } = window;
  await glassformer.startWorkers(workers);
  await glassformer.create(glassformer.STARTS[0]);
  await glassformer.train(updates);
  return glassformer.engine.value.weight_digests();
};

inBrowsers(`${FILE}?questions=off`, (page, _, browser) => {
  for (const workers of browser === "chromium" ? [4, 2, 1] : [2, 1]) {
    test(`the toy has the program's weights after ${UPDATES} updates in ${plural(workers, "worker")}`, async () => {
      assert.equal(Object.keys(expectedDigests).length, 87);
      assert.deepEqual(await page().run(trainToy, [workers, UPDATES]), expectedDigests);
    });
  }

  test("a trace under other masks has the losses of the program's", async () => {
    const trace = JSON.parse(native("toy.json"));
    const pairs = trace.sentences.map(({ source, target }) => ({ source, target }));
    assert.ok(trace.what_if.length >= 8);
    for (const { name: variant, masks, loss, losses } of trace.what_if) {
      const found = await page().run(
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
    const found = await page().run(async () => {
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
    const [first, last] = await page().run(async () => {
      const { glassformer } = window;
      await glassformer.create(glassformer.STARTS[2]);
      await glassformer.train(200);
      const first = await glassformer.engine.value.memory();
      for (let i = 0; i < 9; ++i) await glassformer.train(200);
      return [first, await glassformer.engine.value.memory()];
    });
    assert.equal(last, first);
  });

  test("a wrong setting is refused in words, and the model stays", async () => {
    const found = await page().run(async () => {
      const { glassformer } = window;
      await glassformer.create(glassformer.STARTS[2]);
      const digest = await glassformer.engine.value.digest();
      const made = await glassformer.create(glassformer.STARTS[2], { "model.heads": "3" });
      return { made, error: glassformer.error.value, same: digest === (await glassformer.engine.value.digest()) };
    });
    const error = "model.heads: heads must divide d_model, but 3 does not divide 8; choose, for example, 2 heads";
    assert.deepEqual(found, { made: false, error, same: true });
  });

  test("a model with one shard is made in one worker, though there are two", async () => {
    const found = await page().run(async () => {
      const { glassformer } = window;
      await glassformer.startWorkers(2);
      const made = await glassformer.create(glassformer.STARTS[2]);
      await glassformer.train(3);
      return { made, error: glassformer.error.value, position: glassformer.position.value };
    });
    assert.deepEqual(found, { made: true, error: null, position: 3 });
  });
});

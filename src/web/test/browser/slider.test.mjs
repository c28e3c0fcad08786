// The slider over the updates: back at an update, the page shows what it showed when it was there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inBrowsers, ONE_BROWSER, settled, SMALL, soon } from "./live_page.mjs";

const PLACES = [0, 10, 20, 23];
const LAST = 60;

/// What the page shows about the update where it is. Pictures are those of the attention weights; numbers and pictures
/// are shortened to a hash.
const read = () => {
  const { position, trace } = window.glassformer;
  const { loss, attention } = trace.value.json;
  const text = (selector) => document.querySelector(selector)?.innerText.replace(/\s+/g, " ");
  const hash = (text) => [...text].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) >>> 0, 0);
  const figures = [...document.querySelectorAll(".train .figures > div")].map(({ innerText }) => innerText);
  return {
    update: position.value,
    heading: text(".train h3"),
    loss: loss.mean,
    updateLoss: figures.find((figure) => figure.startsWith("loss")),
    gradientNorm: figures.find((figure) => figure.startsWith("gradient norm")),
    attention: attention.map(({ weights }) => hash([...trace.value.matrix(weights).numbers].join())),
    pictures: [...document.querySelectorAll(".train .attention canvas")].map((canvas) => hash(canvas.toDataURL())),
    translations: text(".train [aria-label=Translations]"),
    forcing: text(".forcing"),
  };
};

/// Moves the slider by its keys.
async function slideTo(page, update, last) {
  await page.page.focus(".time input");
  await page.press(update > last / 2 ? "End" : "Home");
  const steps = update > last / 2 ? last - update : update;
  for (let i = 0; i < steps; ++i) await page.press(update > last / 2 ? "ArrowLeft" : "ArrowRight");
}

inBrowsers(
  `${SMALL}train`,
  (page, another) => {
    const seen = new Map();

    test("training shows other numbers at every update", async () => {
      for (const place of [...PLACES, LAST]) {
        const from = seen.size === 0 ? 0 : [...seen.keys()].at(-1);
        for (let i = from; i < place; i += place - i >= 10 ? 10 : 1) {
          const next = i + (place - i >= 10 ? 10 : 1);
          await page().clickButton(place - i >= 10 ? "Ten updates" : "One update", ".train");
          await page().until((next) => window.glassformer.position.value === next, next);
          await page().untilText(".train h3", `after update ${next}`);
        }
        seen.set(place, await settled(() => page().run(read)));
        assert.equal(seen.get(place).update, place);
      }
      for (const part of ["loss", "updateLoss", "attention", "pictures"]) {
        const different = new Set([...seen.values()].map((shown) => JSON.stringify(shown[part])));
        assert.equal(different.size, seen.size, part);
      }
      assert.notEqual(seen.get(0).translations, seen.get(LAST).translations);
      assert.ok(seen.get(LAST).pictures.length >= 2 && seen.get(LAST).forcing);
    });

    test("going back and forth shows what was there", async () => {
      for (const place of [10, LAST, 0, 23, 20, LAST]) {
        await slideTo(page(), place, LAST);
        await soon(() => page().run(read), seen.get(place), `update ${place}`);
      }
    });

    test("an update without a snapshot is trained again, and shows the same", async () => {
      const other = await another(`${SMALL}train`);
      await other.run((last) => window.glassformer.train(last), LAST);
      assert.ok(!(await other.run(() => window.glassformer.snapshots.value.some(({ update }) => update === 23))));
      await slideTo(other, 23, LAST);
      await soon(() => other.run(read), seen.get(23));
      await other.close();
    });
  },
  ONE_BROWSER,
);

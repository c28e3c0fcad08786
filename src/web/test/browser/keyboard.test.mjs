// Every section by keyboard: it is reached from the navigation, and its main control works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, press, reach } from "./keys.mjs";
import { CHAPTER, inBrowsers, SECTIONS, SMALL, soon } from "./live_page.mjs";

const value = (selector) => [(selector) => document.querySelector(selector)?.value, selector];

/// Answers the question that is shown, or goes on after its answer.
async function answer(page) {
  const ways = [".question input", ".question [role=group] button", ".answers-offered button", ".question button"];
  const way = await page.run((ways) => ways.findIndex((one) => document.querySelector(one)), ways);
  await reach(page, ways[way]);
  if (way === 0) await page.press("1");
  if (way === 1) {
    await page.press("Space");
    await reach(page, ".question [role=group] + p button");
  }
  await page.press("Enter");
}

/// What the reader does in each section.
const CONTROLS = {
  async text(page) {
    await reach(page, ".pair-fields textarea");
    await press(page, "End", "Space", "h", "o", "u", "s", "e");
    await page.until(() => window.glassformer.trace.value.json.sentences[0].source.endsWith(". house"));
  },
  async masks(page) {
    await reach(page, '[data-mask="encoder_padding"] .heat-map-view');
    await press(page, "ArrowRight", "Enter");
    await page.untilText(".masks", "You changed 1 cell.");
    await reach(page, ".mask-bar .history button:first-child", "Shift+Tab");
    await page.press("Enter");
    await page.until(() => !document.querySelector(".masks").innerText.includes("You changed"));
  },
  async walk(page) {
    await page.press("ArrowRight");
    await page.untilText("#step-title", "Step 2 of");
    await reach(page, "#slider");
    await press(page, "ArrowRight", "ArrowRight");
    await page.untilText("#step-title", "Step 4 of");
    await reach(page, ".walk-bar .next");
    await page.press("Enter");
    await page.untilText("#step-title", "Step 5 of");
    assert.equal(await page.run(() => location.hash), "#step-5");
  },
  async attention(page) {
    await reach(page, ".sentence-chooser input");
    await page.press("ArrowRight");
    await page.untilText(".chosen-sentence", "she sleeps");
    await reach(page, ".attention .heat-map-view");
    await press(page, "ArrowDown", "ArrowRight");
    await page.untilText(".attention .readout", "(position 1)");
  },
  async answer(page) {
    await reach(page, ".position input");
    await page.press("ArrowRight");
    await page.until(() => document.querySelectorAll(".position input")[1].checked);
  },
  async gradient(page) {
    await reach(page, ".sentence-chooser input");
    await page.press("ArrowLeft");
    await page.until(() => document.querySelector(".sentence-chooser input").checked);
  },
  async train(page) {
    const before = await page.run(() => window.glassformer.position.value);
    await reach(page, ".train-buttons button");
    await page.press("Enter");
    const position = () => page.run(() => window.glassformer.position.value);
    await soon(position, before + 1);
    await reach(page, ".time input");
    await page.press("ArrowLeft");
    await soon(position, before);
    await page.press("ArrowRight");
    await soon(position, before + 1);
    await reach(page, ".head-chips .chip");
    await page.press("Space");
    await page.untilText(".head-chips .chip", "off");
    await page.press("Space");
    await page.untilText(".head-chips .chip", "on");
  },
  async update(page) {
    await reach(page, ".view-update button");
    await page.press("Enter");
    await page.untilText(".view-update [role=status]", "This is update");
    await reach(page, ".view-update select");
    const before = await page.run(...value(".view-update select"));
    await page.press("ArrowDown");
    await page.until(
      (before) =>
        document.querySelector(".view-update select")?.value !== before && !!document.querySelector(".update"),
      before,
    );
  },
  async search(page) {
    await page.until(() => document.querySelector(".search-tree"));
    await reach(page, ".search-steps button:nth-child(2)");
    await page.press("Enter");
    await page.untilText(".search-steps", "Step 2 of");
    await reach(page, ".search-tree [role=treeitem]");
    await press(page, "ArrowRight");
    await page.untilText(".search-detail", "Step 2:");
  },
  async break(page) {
    await reach(page, ".view-break .chooser input");
    const before = await page.text(".view-break h3");
    await page.press("ArrowRight");
    await soon(async () => (await page.text(".view-break h3")) === before, false);
  },
  async course(page) {
    await reach(page, `.chapter-link[href="#${CHAPTER}"]`);
    await page.press("Enter");
    await page.until(() => document.activeElement.matches("#chapter-title"));
    await reach(page, ".softmax-figure input[type=checkbox]");
    const before = await page.text(".softmax-figure .explained");
    await page.press("Space");
    await soon(async () => (await page.text(".softmax-figure .explained")) === before, false);
  },
};

inBrowsers(`${SMALL}break`, (page, another, browser) => {
  // In Firefox, only a field, maps and a slider: the other sections have the same controls.
  const isFirefox = browser === "firefox";
  for (const place of isFirefox ? ["text", "masks", "walk"] : [...SECTIONS, "course"]) {
    test(`${place} by keyboard`, async () => {
      await follow(page(), place);
      await CONTROLS[place](page());
    });
  }

  test("a question is answered, and the section opens", { skip: isFirefox }, async () => {
    const other = await another(`${SMALL.replace(/questions=off/g, "questions=on")}text`);
    await follow(other, "masks");
    const text = () => other.text(".question");
    const isOpen = async () => {
      await other.until(() => document.querySelector(".masks, .question"));
      return other.run(() => !!document.querySelector(".masks"));
    };
    for (let i = 0; i < 10 && !(await isOpen()); ++i) {
      const before = await text();
      await answer(other);
      await soon(async () => (await text()) === before, false, before);
    }
    assert.match(await other.text(".question"), /(Right|Not quite):/);
    await other.close();
  });
});

// Every section by keyboard: it is reached from the navigation, its main control works, the focus can always be seen,
// and Tab leads through the page and out of it again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHAPTER, inBrowsers, SECTIONS, SMALL, soon } from "./live_page.mjs";

const MOST_STOPS = 400;

/// Notes how the focused element looks now that it has the focus, and how the one before it looks now that it has not.
const observeFocus = () => {
  const look = (element) => {
    // What shows the focus: the element, what follows a hidden radio button, or the outline in a drawing.
    const shown = [element, element.nextElementSibling, element.querySelector(".outline")].filter(Boolean);
    const styles = shown.map((one) => getComputedStyle(one));
    return styles.map(({ outline, boxShadow, stroke, strokeWidth }) =>
      [outline, boxShadow, stroke, strokeWidth].join(),
    );
  };
  const before = window.focusedBefore;
  const element = document.activeElement;
  const { right, bottom, left, top } = element.getBoundingClientRect();
  window.focusedBefore = element === document.body ? null : { element, look: look(element).join(" ") };
  return {
    name: element.outerHTML.slice(0, 120),
    out: element === document.body || element.matches(".skip-link"),
    inSight: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
    unseenBefore: !!before && before.element.isConnected && before.look === look(before.element).join(" "),
  };
};

/// Presses Tab until an element has the focus.
async function reach(page, selector, key = "Tab") {
  const has = (selector) => document.activeElement.matches(selector);
  for (let i = 0; i < MOST_STOPS; ++i) {
    if (await page.run(has, selector)) return;
    await page.press(key);
  }
  assert.fail(`${key} does not reach ${selector}`);
}

async function press(page, ...keys) {
  for (const key of keys) await page.press(key);
}

/// Follows a link of the navigation, from the beginning of the page. The heading has the focus then.
async function follow(page, place) {
  await page.page.focus(".skip-link");
  await reach(page, `#sections [data-section="${place}"]`);
  await page.press("Enter");
  await page.until((selector) => document.activeElement.matches(selector), "main h2");
}

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

inBrowsers(`${SMALL}break`, (page, another) => {
  for (const place of [...SECTIONS, "course"]) {
    test(`${place} by keyboard`, async () => {
      await follow(page(), place);
      await CONTROLS[place](page());
    });
  }

  for (const place of [...SECTIONS, "course"]) {
    test(`Tab leads through ${place}, and the focus is seen`, async () => {
      await follow(page(), place);
      await page().run(() => {
        window.focusedBefore = null;
        document.documentElement.style.scrollBehavior = "auto"; // at once
      });
      const stops = [];
      do {
        await page().press("Tab");
        stops.push(await page().run(observeFocus));
      } while (!stops.at(-1).out && stops.length < MOST_STOPS);
      assert.ok(stops.length < MOST_STOPS, `no way out of ${stops.at(-1).name}`);
      assert.ok(stops.length > 3);
      const unseen = stops.filter((_, i) => stops[i + 1]?.unseenBefore).map(({ name }) => name);
      assert.deepEqual(unseen, [], "the focus is not seen");
      assert.deepEqual(
        stops.filter(({ inSight, out }) => !inSight && !out),
        [],
        "out of sight",
      );
    });
  }

  test("a question is answered, and the section opens", async () => {
    const other = await another(`${SMALL.replace(/questions=off/g, "questions=on")}text`);
    await follow(other, "masks");
    const text = () => other.text(".question");
    for (let i = 0; i < 10 && !(await other.run(() => document.querySelector(".masks"))); ++i) {
      const before = await text();
      await answer(other);
      await soon(async () => (await text()) === before, false, before);
    }
    assert.match(await other.text(".question"), /(Right|Not quite):/);
    await other.close();
  });
});

// axe-core finds nothing: no section, no chapter, no dialog; light and dark, wide and narrow.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { CHAPTER, inBrowsers, ONE_BROWSER, SECTIONS, SMALL } from "./live_page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LOOKS = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 1280 },
  { scheme: "light", width: 390 },
  { scheme: "dark", width: 390 },
];

/// What is wrong with the page as it is shown: "RULE: ELEMENT, ELEMENT". `within`: only a part of it; `rules`: only these.
async function violations(page, { within = "html", rules } = {}) {
  if (!(await page.run(() => "axe" in window))) await page.run(AXE);
  return page.run(
    async ([within, rules]) => {
      await document.fonts.ready;
      const options = { resultTypes: ["violations"], preload: false, ...(rules && { runOnly: rules }) };
      const { violations } = await window.axe.run(within, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    },
    [within, rules],
  );
}

inBrowsers(
  `${SMALL}text`,
  (page, another) => {
    for (const { scheme, width } of LOOKS) {
      test(`every section, ${scheme}, ${width} px`, async () => {
        await page().resize(width, 900);
        await page().dark(scheme === "dark");
        if (await page().run(() => window.glassformer.position.value === 0)) {
          await page().train(3);
        }
        const rules = scheme === "dark" ? ["color-contrast"] : undefined; // only the colours are others
        const found = {};
        for (const place of [...SECTIONS, "/course", CHAPTER]) {
          await page().show(place);
          const wrong = await violations(page(), { rules });
          if (wrong.length > 0) found[place] = wrong;
        }
        assert.deepEqual(found, {});
      });
    }

    test("the menu, the tour, the map and the dialog for own text", async () => {
      await page().resize(390, 900);
      await page().show("text");
      await page().clickButton("Your own pairs");
      assert.deepEqual(await violations(page(), { within: "dialog.make-model" }), []);
      await page().clickButton("Cancel", "dialog.make-model");
      await page().clickButton("Map", "#map-button");
      assert.deepEqual(await violations(page(), { within: "dialog.map-sheet" }), []);
      await page().clickButton("Close", "dialog.map-sheet");
      await page().clickButton("Menu", "#tools");
      await page().clickButton("Start the tour");
      await page().untilText("#tour", "stop 1");
      assert.deepEqual(await violations(page()), []);
    });

    test("questions, and a link that is refused", async () => {
      const other = await another(`${SMALL.replace(/questions=off/g, "questions=on")}masks`);
      await other.until(() => document.querySelector(".question"));
      assert.deepEqual(await violations(other), []);
      await other.run(() => void (location.hash = "#link?update=-1"));
      await other.untilText(".refusal", "damaged");
      assert.deepEqual(await violations(other), []);
      await other.close();
    });
  },
  ONE_BROWSER,
);

// What a reader meets first, and the heads that can be switched off.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE, inBrowsers, ONE_BROWSER, SMALL } from "./live_page.mjs";

inBrowsers(
  `${SMALL}attention`,
  (page, another) => {
    test("the page opens with the text, without a question", async () => {
      const first = await another(FILE);
      await first.run(() => localStorage.clear()); // the other page may have switched questions off
      await first.open(FILE);
      await first.until(() => document.querySelector(".view-text .tokens"));
      assert.equal(await first.run(() => document.querySelectorAll(".question").length), 0);
      await first.run(() => void (location.hash = "#masks"));
      await first.until(() => document.querySelector(".view-masks .question"));
      await first.close();
    });

    test("a head can be switched off above its map, and on again", async () => {
      await page().train(30);
      await page().until(() => document.querySelectorAll(".view-attention .attention .chip").length === 6);
      const loss = () => page().run(() => window.glassformer.trace.value.json.loss.mean);
      const before = await loss();
      await page().run(() => document.querySelector(".view-attention .attention .chip").click());
      await page().until((before) => window.glassformer.trace.value.json.loss.mean !== before, before);
      const found = await page().run(() => ({
        off: [...document.querySelectorAll(".head.off .chip")].map((chip) => chip.textContent),
        map: document.querySelector(".head.off [role=application]").getAttribute("aria-label"),
        note: document.querySelectorAll(".heads-off").length,
      }));
      assert.deepEqual(found.off, ["head 0 off: Encoder self-attention, layer 0"]);
      assert.match(found.map, /head 0, which is off/);
      assert.equal(found.note, 1);
      await page().run(() => document.querySelector(".heads-off button").click());
      await page().until((before) => window.glassformer.trace.value.json.loss.mean === before, before);
      assert.equal(await page().run(() => document.querySelectorAll(".head.off, .heads-off").length), 0);
    });
  },
  ONE_BROWSER,
);

// A link that is copied in one page shows the same in another: text, masks, heads, place and update.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE, inBrowsers, settled, SMALL, soon } from "./live_page.mjs";

const SENTENCE = "the dog sees </script> & the 日本 house #1 %41";

/// Links, and what is wrong with them.
const DAMAGED = [
  ["update=-1", "update: expected a whole number from 0 to "],
  ["update=99999", "update: expected a whole number from 0 to "],
  ["start=none", "start: expected one of toy, reverse, debug"],
  ["at=none", `at: expected one of`],
  ["start=debug&pair=one", "pair: expected two sentences with a tab between them"],
  ["start=debug&pair=a%09b&masks=1.1.1:4", "masks: expected the masks of these pairs"],
  ["start=debug&set=model.heads:3", "model.heads: heads must divide d_model"],
  ["start=debug&set=model.d_model:1e9", "model.d_model: expected at most 256 in a link"],
  ["start=debug&set=none.such:1", "none.such"],
  ["start=debug&pair=a%09b&masks=1.1.1:0.3", "masks: they are for sentences of other lengths"],
  ["start=debug&off=x%201", "off: this model does not have these heads"],
];

/// What the page shows, and the weights and masks behind it.
const read = async () => {
  const { engine, pairs, position, trace } = window.glassformer;
  const { masks } = trace.value.own;
  return {
    place: document.querySelector("main h2").innerText,
    update: position.value,
    digest: await engine.value.digest(),
    pairs: pairs.value,
    masks: Object.entries(masks).map(([name, matrix]) => [name, [...trace.value.matrix(matrix).numbers].join("")]),
    loss: trace.value.json.loss.mean,
    off: [...document.querySelectorAll('.chip[aria-pressed="false"]')].map(({ innerText }) => innerText),
  };
};

/// Copies the link, where the browser does not let the page copy: then it shows the link.
async function copyLink(page) {
  await page.run(() => {
    const refuse = () => Promise.reject(new Error("not allowed"));
    Object.defineProperty(navigator, "clipboard", { value: { writeText: refuse }, configurable: true });
  });
  await page.clickButton("Menu", "#tools");
  await page.clickButton("Copy link");
  await page.until(() => document.activeElement.matches(".link-text"));
  const link = await page.run(() => {
    const { value, selectionStart, selectionEnd } = document.activeElement;
    return value.slice(selectionStart, selectionEnd);
  });
  await page.clickButton("Menu", "#tools");
  return link;
}

inBrowsers(`${SMALL}text`, (page, another) => {
  let link, shown;

  test("a link holds what the page shows", async () => {
    await page().paste(".pair-fields textarea", SENTENCE);
    await page().until((sentence) => window.glassformer.trace.value.json.sentences[0].source === sentence, SENTENCE);
    await page().show("train");
    for (const update of [10, 20]) {
      await page().clickButton("Ten updates", ".train");
      await page().untilText(".train h3", `after update ${update}`);
    }
    await page().clickButton("head 1", ".head-chips");
    await page().show("masks");
    await page().page.focus('[data-mask="cross_padding"] .heat-map-view');
    await page().press("ArrowRight");
    await page().press("Enter");
    await page().untilText(".masks", "You changed 1 cell.");
    await page().show("train");
    shown = await settled(() => page().run(read));
    assert.equal(shown.off.length, 1);
    assert.equal(shown.update, 20);
    link = await copyLink(page());
    assert.ok(link.startsWith(`${FILE}?questions=off#link?`), link);
  });

  test("a fresh page shows the same", async () => {
    const other = await another(link);
    await soon(() => other.run(read), shown);
    assert.deepEqual(await other.run(() => document.querySelector(".refusal")), null);
    await other.show("text");
    assert.equal(await other.run(() => document.querySelector(".pair-fields textarea").value), SENTENCE);
    await other.close();
  });

  test("a damaged link is refused in words, and the page stays as it is", async () => {
    for (const [damaged, reason] of DAMAGED) {
      await page().run((hash) => void (location.hash = hash), `#link?${damaged}`);
      await page().untilText(".refusal", reason);
      const text = await page().text(".refusal");
      assert.match(text, /^This link is damaged, or for another version of this page\. [^.].*\. Close$/, damaged);
      assert.equal(await page().run(() => document.querySelectorAll(".refusal").length), 1);
      assert.deepEqual(await page().run(read), shown, damaged);
      await page().clickButton("Close", ".refusal");
    }
  });

  test("a chapter's link shows its figure, and a button leads back to the reader's model", async () => {
    const before = await page().run(read);
    await page().run(() => void (location.hash = "#/course/06_attention"));
    await page().until(() => document.querySelector('.live-figure a[href^="#link"]'));
    await page().run(() => document.querySelector('.live-figure a[href^="#link"]').click());
    await page().untilText(".course-visit", "update 20");
    await page().until(() => {
      const top = document.querySelector(".attention-kind")?.getBoundingClientRect().top ?? Infinity;
      return window.glassformer.trace.value.sentences === 2 && scrollY > 0 && top > 0 && top < innerHeight / 2;
    });
    await page().clickButton("Back to", ".course-visit");
    await page().show("train");
    await soon(() => page().run(read), before);
    assert.equal(await page().run(() => document.querySelector(".course-visit")), null);
  });

  test("a page that begins with a damaged link shows the first start", async () => {
    const other = await another(`${FILE}#link?start=debug&update=-1`);
    await other.untilText(".refusal", "update: expected a whole number from 0 to ");
    assert.equal(await other.run(() => window.glassformer.trace.value.json.sentences.length), 3);
    await other.close();
  });
});

// Text that a reader types or pastes: any sentence can be shown and trained on, and what is wrong is said in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE, inBrowsers, soon } from "./live_page.mjs";

const LONG = Array.from({ length: 60 }, (_, i) => (i % 2 ? "dog" : "small")).join(" ");
const SCRIPT = '</script><img src=x onerror="window.hacked = 1">';
const RIGHT_TO_LEFT = "هي تنام .";
const SENTENCES = ["she sleeps unicorn", "", LONG, RIGHT_TO_LEFT, SCRIPT];
const TARGET = "sie schläft .";
const PAIRS = 24;

const field = (sentence, side) =>
  `.pair-list > li:nth-child(${sentence + 1}) .sentence-field:nth-of-type(${side}) textarea`;
const note = (sentence) => `.pair-list > li:nth-child(${sentence + 1}) .sentence-field .note`;
const fields = [1, 2].map((side) => `.text-fields .text-field:nth-child(${side}) textarea`);
const dialog = "dialog.make-model";

/// The texts of both fields, with PAIRS lines.
function ownText() {
  const sources = Array.from({ length: PAIRS }, (_, i) => SENTENCES[i % SENTENCES.length] || `word${i} .`);
  return [sources, sources.map((_, i) => `${TARGET} ${i % 3 ? RIGHT_TO_LEFT : SCRIPT}`)].map((lines) =>
    lines.join("\n"),
  );
}

const shownIds = () =>
  window.glassformer.trace.value.json.batch.source.ids.map((ids) => ids.filter((id) => id !== 0).length);

inBrowsers(`${FILE}?questions=off#text`, (page) => {
  const checks = () => page().text(".text-checks");
  const isOffered = () => page().run(() => !document.querySelector("dialog.make-model .main-button").disabled);

  test("sentences that are typed are shown", async () => {
    for (let i = 0; i < SENTENCES.length; ++i) {
      if (i >= 3) await page().clickButton("Add a sentence");
      await page().until((selector) => document.querySelector(selector), field(i, 2));
      await page().paste(field(i, 1), SENTENCES[i]);
      await page().paste(field(i, 2), TARGET);
    }
    await soon(() => page().run(shownIds), [4, 1, 61, 4, 6]);
    await page().untilText(note(0), "“unicorn” is not in the vocabulary; the model reads <unk>.");
    await page().untilText(note(1), "Empty: the encoder reads only </s>.");
    assert.equal(await page().text(note(2)), "");
    await page().untilText(note(3), "are not in the vocabulary");
    await page().untilText(note(4), "“</script><img”");
    assert.equal(
      await page().run(() => getComputedStyle(document.querySelectorAll(".field-marks")[6]).direction),
      "rtl",
    );
    await page().untilText("main", "</script><img");
  });

  test("they are shown in other sections", async () => {
    for (const section of ["masks", "attention", "answer", "train", "search"]) {
      await page().show(section);
      assert.equal(await page().text(".refusal"), null, section);
    }
    await page().show("text");
  });

  test("a sentence that is too long is refused in words, and the page waits", async () => {
    await page().paste(field(2, 1), `${LONG} .`);
    await page().untilText(note(2), "This sentence has 61 words; the page shows at most 60. Remove 1 word");
    await page().until(() => document.querySelector(".text-editor .warning[role=status]"));
    assert.deepEqual(await page().run(shownIds), [4, 1, 61, 4, 6]);
    await page().paste(field(2, 1), "she sleeps .");
    await soon(() => page().run(shownIds), [4, 1, 4, 4, 6]);
    assert.equal(await page().text(".text-editor .warning"), null);
  });

  test("own pairs with a mistake are refused in words", async () => {
    await page().clickButton("Your own pairs");
    assert.equal(await isOffered(), false, "no text yet");
    const [sources, targets] = ownText();
    for (const [source, target, reason] of [
      ["one .\ntwo .", "eins .\nzwei .", "Expected 20 to 5,000 sentence pairs, found 2."],
      [sources, targets.replace(/\n.*$/, ""), `Line ${PAIRS} has no target side: found ${PAIRS} source lines and`],
      [sources.replace(/\n.*\n/, "\n\n"), targets, "Line 2: the source side is empty."],
    ]) {
      await page().paste(fields[0], source);
      await page().paste(fields[1], target);
      await soon(async () => (await checks()).includes(reason), true, reason);
      assert.equal(await isOffered(), false, reason);
    }
    await page().click(`${dialog} label:has([value="tabs"])`);
    await page().paste(`${dialog} .text-field textarea`, "one .\teins .\ntwo .");
    await soon(checks, "Line 2: expected one tab between source and target, found 0 tabs.");
    assert.equal(await isOffered(), false);
  });

  test("own pairs make a model, and it trains", async () => {
    await page().click(`${dialog} label:has([value="lines"])`);
    const texts = ownText();
    for (const i of [0, 1]) await page().paste(fields[i], texts[i]);
    await soon(async () => (await checks()).startsWith(`${PAIRS} pairs.`), true);
    assert.match(await checks(), /Line 3: the source side has 60 words, but data\.max_length is 40/);
    await page().clickButton("Make this model", dialog);
    await page().untilText(".another-model", `Your own sentence pairs: ${PAIRS - 5} sentence pairs`);
    await soon(() => page().run(() => window.glassformer.pairs.value[0].source), SENTENCES[0]);
    await page().run(() => window.glassformer.train(2));
    await soon(() => page().run(() => window.glassformer.position.value), 2);
    assert.equal(await page().text(".refusal"), null);
  });

  test("nothing of it has become part of the page", async () => {
    assert.deepEqual(await page().run(() => [window.hacked, document.querySelectorAll("img").length]), [undefined, 0]);
  });
});

// The search that the page draws finds what `glassformer translate --n-best` prints for the same weights.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE, inBrowsers, native, numberIn, rounded, soon, UPDATES } from "./live_page.mjs";

const MODELS = ["toy", "debug"];
const SENTENCES = ["she sleeps .", "the small dog sees a house ."];
const SEARCHES = [
  { beam: 1, penalty: 1 },
  { beam: 4, penalty: 1 },
  { beam: 4, penalty: 0 },
  { beam: 4, penalty: 2 },
];

/// "0 ||| sie schläft . ||| logprob= -0.280631 ||| -0.070158" of sentence `wanted`: what the page's table shows.
function expectedRows(model, { beam, penalty }, wanted) {
  const lines = native(`n_best_${model}_${beam}_${penalty}.txt`).trimEnd().split("\n");
  return lines
    .map((line) => line.split(" ||| "))
    .filter(([sentence]) => Number(sentence) === wanted)
    .map(([, text, log, score]) => [text, ...[log.replace("logprob= ", ""), score].map((one) => rounded(+one, 4))]);
}

/// The rows of the last table under a heading that begins with `title`: translation, log p, score; and whether it ended.
const readRows = (title) => {
  const heading = [...document.querySelectorAll("main h3")].find((one) => one.textContent.startsWith(title));
  let place = heading?.nextElementSibling;
  while (place && place.tagName !== "H3" && !place.querySelector("table")) place = place.nextElementSibling;
  return [...(place?.querySelectorAll("tbody tr") ?? [])].map((row) => {
    const cells = [...row.cells].map(({ textContent }) => textContent.trim());
    const text = cells[1].replace("(no words)", "").replace("(cut off)", "").trim();
    return { text, log: cells[3], score: cells[4].split("=").at(-1).trim(), ended: !cells[1].includes("(cut off)") };
  });
};

inBrowsers(`${FILE}?questions=off#search`, (page) => {
  for (const model of MODELS) {
    test(`the tree of the ${model} model finds what the program finds`, async () => {
      await page().run(
        async ([model, updates]) => {
          const { glassformer } = window;
          await glassformer.startWorkers(model === "toy" ? 2 : 1); // two, to be faster
          if (!(await glassformer.create(glassformer.STARTS.find(({ id }) => id === model)))) return;
          await glassformer.train(updates);
        },
        [model, UPDATES],
      );
      for (const search of SEARCHES) {
        await page().choose("Beam", search.beam === 1 ? "1 (greedy)" : String(search.beam));
        await setPenalty(page(), search.penalty);
        for (const [i, sentence] of SENTENCES.entries()) {
          await page().choose("Sentence", sentence);
          const expected = expectedRows(model, search, i);
          assert.equal(expected.length, search.beam);
          const found = async () =>
            (await page().run(readRows, "What the search finds")).map(({ text, log, score }) => [
              text,
              numberIn(log),
              numberIn(score),
            ]);
          await soon(found, expected, `${JSON.stringify(search)}, ${sentence}`);
          await assertGrown(page());
        }
      }
    });
  }
});

/// By the keyboard: the slider goes from 0 to 2, and begins at 1.
async function setPenalty(page, penalty) {
  await page.page.focus(".penalty input");
  await page.press(penalty === 2 ? "End" : "Home");
  for (let i = 0; penalty === 1 && i < 20; ++i) await page.press("ArrowRight");
}

/// After its last step, the tree has finished the same translations, apart from those that were cut off at the end.
async function assertGrown(page) {
  await page.page.focus(".search-steps input");
  await page.press("End");
  const finished = (await page.run(readRows, "What the search finds")).filter(({ ended }) => ended);
  await soon(() => page.run(readRows, "Finished after step"), finished, "finished after the last step");
}

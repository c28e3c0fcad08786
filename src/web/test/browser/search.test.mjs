// The search that the page draws finds what `glassformer translate --n-best` prints for the same weights.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE, inBrowsers, native, numberIn, ONE_BROWSER, rounded, soon, UPDATES } from "./live_page.mjs";

const MODELS = ["toy", "debug"];
const SENTENCES = ["she sleeps .", "the small dog sees a house ."];
const SEARCHES = [
  { beam: 1, penalty: 1 },
  { beam: 4, penalty: 1 },
  { beam: 4, penalty: 0 },
  { beam: 4, penalty: 2 },
];

/// What the program prints about sentence `wanted`: "0 ||| sie schläft . ||| logprob= -0.280631 ||| -0.070158".
function printed(model, { beam, penalty }, wanted) {
  const lines = native(`n_best_${model}_${beam}_${penalty}.txt`).trimEnd().split("\n");
  return lines
    .map((line) => line.replace("logprob= ", "").split(" ||| "))
    .filter(([sentence]) => Number(sentence) === wanted)
    .map(([, ...parts]) => parts);
}

/// What the engine finds: text, log p, score.
const search = async ([sentence, { beam, penalty }]) => {
  const values = { "decoding.beam": String(beam), "decoding.length_penalty": String(penalty) };
  const { found } = await window.glassformer.engine.value.search_tree(sentence, values);
  return found.map(({ text, log_probability, score }) => [text, log_probability, score]);
};

/// The rows of the last table under a heading that begins with `title`: translation, log p, score; and whether it ended.
/// The last cell of a row computes the score.
const readRows = (title) => {
  const heading = [...document.querySelectorAll("main h3")].find((one) => one.textContent.startsWith(title));
  let place = heading?.nextElementSibling;
  while (place && place.tagName !== "H3" && !place.querySelector("table")) place = place.nextElementSibling;
  return [...(place?.querySelectorAll("tbody tr") ?? [])].map((row) => {
    const cells = [...row.cells].map(({ textContent }) => textContent.trim());
    const [, score, translation, , log, calculation] = cells;
    const text = translation.replace("(no words)", "").replace("(cut off)", "").trim();
    const agrees = calculation.endsWith(`= ${score}`);
    return { text, log, score: agrees ? score : calculation, ended: !translation.includes("(cut off)") };
  });
};

inBrowsers(
  `${FILE}?questions=off#search`,
  (page) => {
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
        for (const settings of SEARCHES) {
          await page().choose("Beam", settings.beam === 1 ? "1 (greedy)" : String(settings.beam));
          await setPenalty(page(), settings.penalty);
          for (const [i, sentence] of SENTENCES.entries()) {
            const message = `${JSON.stringify(settings)}, ${sentence}`;
            await page().choose("Sentence", sentence);
            const found = await page().run(search, [sentence, settings]);
            const exact = found.map(([text, ...numbers]) => [text, ...numbers.map((number) => number.toFixed(6))]);
            assert.equal(found.length, settings.beam);
            assert.deepEqual(exact, printed(model, settings, i), message);
            const shown = async () =>
              (await page().run(readRows, "What the search finds")).map(({ text, log, score }) => [
                text,
                numberIn(log),
                numberIn(score),
              ]);
            const expected = found.map(([text, ...numbers]) => [text, ...numbers.map((number) => rounded(number, 4))]);
            await soon(shown, expected, message);
            await assertGrown(page());
          }
        }
      });
    }
  },
  ONE_BROWSER,
);

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

// Masks that are flipped on the page: their losses are those of the program under the same masks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inBrowsers, native, numberIn, rounded, SMALL, soon, UPDATES } from "./live_page.mjs";

const variants = JSON.parse(native("debug.json")).what_if;
const [LONG, SHORT] = [0, 1]; // the sentences: only the short one has padding
const LENGTH = 8;

/// The losses under a variant's masks, as the page writes them: of the batch, and of a sentence.
function expectedLosses(name, sentence) {
  const { loss, losses } = variants.find((variant) => variant.name === name);
  const counted = losses[sentence].filter((one) => one !== null);
  const mean = counted.reduce((sum, one) => sum + one, 0) / counted.length;
  return [loss.mean, mean].map((number) => rounded(number, 6));
}

/// The losses in a row of the table: "the model’s own" or "yours"; null: it has none.
async function shownLosses(page, title) {
  const texts = await page.run((title) => {
    const rows = [...document.querySelectorAll(".mask-effect tbody tr")];
    const cells = [...rows.find((row) => row.cells[0].textContent === title).cells].slice(1, 3);
    return cells.map(({ textContent }) => textContent);
  }, title);
  return texts[0] === "–" ? null : texts.map(numberIn);
}

const map = (name) => `[data-mask="${name}"] .heat-map-view`;

/// Where a cell of a mask is in the window: found as a reader finds it, by pointing and reading.
const findCell = async ([selector, query, key]) => {
  const view = document.querySelector(selector);
  view.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = view.getBoundingClientRect();
  const seen = []; // rows and columns
  const pointAt = async (x, y) => {
    view.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const [, row, col] =
      /position (\d+)\).*position (\d+)\)/.exec(document.querySelector(".readout").textContent) ?? [];
    seen.push(`${row} ${col}`);
    return [Number(row), Number(col)];
  };
  for (let x = left + width - 6; x > left; x -= 8) {
    if ((await pointAt(x, top + height - 12))[1] !== key) continue;
    for (let y = top + height - 12; y > top; y -= 8) if ((await pointAt(x, y))[0] === query) return [x, y];
  }
  return seen.join("; ");
};

async function clickCell(page, name, query, key) {
  const place = await page.run(findCell, [map(name), query, key]);
  assert.ok(Array.isArray(place), `${name}: there is no cell ${query} ${key} among ${place}`);
  await page.clickAt(place);
}

async function pressKeys(page, keys) {
  for (const key of keys) await page.press(key);
}

inBrowsers(`${SMALL}masks`, (page) => {
  const yours = () => shownLosses(page(), "yours");
  const undo = async (times) => {
    for (let i = 0; i < times; ++i) await page().clickButton("Undo", ".mask-bar");
    await soon(yours, null, "undone");
    assert.ok(await page().run(() => document.querySelector(".mask-bar .history button[aria-disabled=true]") !== null));
  };

  test("the model has the program's losses", async () => {
    await page().run((updates) => window.glassformer.train(updates), UPDATES);
    for (const sentence of [SHORT, LONG]) {
      await page().choose("Sentence", String(sentence));
      await soon(() => shownLosses(page(), "the model’s own"), expectedLosses("right", sentence));
    }
  });

  test("cells, by click and by keyboard", async () => {
    for (let query = 0; query < 2; ++query) await clickCell(page(), "decoder_combined", query, query + 1);
    for (let query = 2; query < LENGTH - 1; ++query) await pressKeys(page(), ["ArrowDown", "ArrowRight", "Enter"]);
    const [, expected] = expectedLosses("next_word_visible", LONG);
    await soon(async () => (await yours())?.[1], expected);
    await page().untilText(`.layer-mask:has([data-mask="decoder_combined"]) .whole-mask`, "You changed 7 cells.");
    await undo(LENGTH - 1);
    for (let i = 0; i < LENGTH - 1; ++i) await page().clickButton("Redo", ".mask-bar");
    await soon(async () => (await yours())?.[1], expected, "done again");
    await undo(LENGTH - 1);
  });

  test("rows", async () => {
    await page().choose("A click flips", "its row");
    await page().page.focus(map("decoder_combined"));
    await pressKeys(page(), ["End"]);
    await pressKeys(page(), Array(LENGTH).fill("ArrowUp"));
    await pressKeys(
      page(),
      Array(LENGTH - 1)
        .fill(["Enter", "ArrowDown"])
        .flat(),
    );
    await soon(async () => (await yours())?.[1], expectedLosses("no_look_ahead", LONG)[1]);
    await undo(LENGTH - 1);
  });

  test("columns, and a whole mask", async () => {
    await page().choose("Sentence", String(SHORT));
    await page().choose("A click flips", "its column");
    await clickCell(page(), "cross_padding", 2, LENGTH - 1);
    for (let key = LENGTH - 2; key >= 4; --key) await pressKeys(page(), ["ArrowLeft", "Enter"]);
    const expected = expectedLosses("no_cross_mask", SHORT);
    await soon(yours, expected, "columns");
    await undo(4);
    await page().clickButton("Open all", '.layer-mask:has([data-mask="cross_padding"])');
    await soon(yours, expected, "a whole mask");
    await page().clickButton("Model’s own", '.layer-mask:has([data-mask="cross_padding"])');
    await soon(yours, null, "the model's own");
    await undo(2);
  });

  test("the masks to try", async () => {
    for (const { name } of variants.slice(1)) {
      await page().run((name) => {
        const select = document.querySelector(".mask-presets");
        select.value = name;
        select.dispatchEvent(new Event("change", { bubbles: true }));
      }, name);
      await soon(
        async () => (await yours()) ?? (await shownLosses(page(), "the model’s own")),
        expectedLosses(name, SHORT),
      );
    }
    await undo(variants.length - 1);
  });
});

// Takes the pictures of the live page, one or more for each thing that a class does with it. make_pictures.py runs it:
//
//   node scripts/dev/live_pictures.mjs OUTPUT [NAME ...]     only these, such as "walk"; default: all
//
// Needs build/live, made with snapshots of the toy (scripts/live.sh), src/web/node_modules and Chromium.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BROWSERS } from "../../src/web/test/browser/browsers.mjs";

const PROJECT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FILE = pathToFileURL(join(PROJECT, "build/live/glassformer-live.html")).href;
const [PHONE, WIDE] = [
  [390, 844],
  [1920, 1080],
];
const END = 1350; // of the toy's training
const BAR = 96; // pixels at the top, where buttons stay
const TRAINED = 150; // updates, in the pictures of training

const [output, ...names] = process.argv.slice(2);

/// Opens the page at an update. `size`: of the window. `map`: whether the drawing of the model is beside the page.
async function open(browser, update, [width, height], { questions = "off", map = true } = {}) {
  const page = await BROWSERS.chromium.page(browser, {
    viewport: { width, height },
    deviceScaleFactor: width < 500 ? 2 : 1,
  });
  await page.open(`${FILE}?questions=${questions}#text`);
  if (!map && width > PHONE[0]) await page.clickButton("Fold away");
  await page.run((update) => window.glassformer.goTo(update), update);
  await page.until((update) => window.glassformer.tracedUpdate.value === update, update);
  return page;
}

/// Scrolls until an element is near the top: the first one that a selector finds and that contains a text.
async function scrollTo(page, selector, { text = "", above = 16 } = {}) {
  await page.run(
    ([selector, text, above]) => {
      const found = [...document.querySelectorAll(selector)].find((one) => one.textContent.includes(text));
      window.scrollBy(0, found.getBoundingClientRect().top - above);
    },
    [selector, text, above],
  );
}

/// Shows the step of the walk that computes the attention weights in the decoder's first layer.
async function showSoftmax(page) {
  await page.show("walk");
  const number = await page.run(
    () =>
      1 +
      window.glassformer.trace.value.steps.findIndex(
        ({ part, equation }) => part.endsWith("decoder.layers.0.self_attn") && equation.includes("softmax"),
      ),
  );
  await page.run((hash) => void (location.hash = hash), `#step-${number}`);
  await page.untilText("#step-title", `Step ${number} `);
}

/// Presses keys on a heat map, with the cursor at row 0 and column 0.
async function pressOn(page, selector, ...keys) {
  await page.page.focus(`${selector} .heat-map-view`);
  for (const key of ["Control+Home", ...keys]) await page.press(key);
}

async function train(page, count) {
  await page.run((count) => window.glassformer.train(count), count);
}

async function take(page, name) {
  await new Promise((resolve) => setTimeout(resolve, 800)); // until it is drawn
  await page.page.screenshot({ path: join(output, `live-${name}.png`) });
  await page.close();
}

async function whole(browser) {
  const page = await open(browser, END, [1280, 900]);
  await showSoftmax(page);
  await page.clickButton("Enlarge");
  return page;
}

async function text(browser) {
  const page = await open(browser, END, [1280, 1000]);
  await page.clickButton("An unknown word");
  await scrollTo(page, ".sentence-field");
  return page;
}

/// The decoder sees the word that it must predict at position 0.
async function masks(browser, size) {
  const page = await open(browser, END, size);
  await page.show("masks");
  await page.choose("Sentence", "1");
  await pressOn(page, "[data-mask=decoder_combined]", "ArrowRight", "Enter");
  await page.untilText(".masks", "You changed 1 cell.");
  await scrollTo(page, size[0] === PHONE[0] ? ".layer-mask:has([data-mask=decoder_combined])" : ".mask-bar");
  return page;
}

async function padding(browser) {
  const page = await open(browser, END, [1280, 1300], { map: false });
  await page.show("masks");
  await page.untilText(".company-verdict", "Without");
  await scrollTo(page, ".company-length");
  return page;
}

async function walk(browser, size) {
  const page = await open(browser, END, size);
  await showSoftmax(page);
  await page.choose("Sentence", "1");
  await pressOn(page, ".step", "ArrowDown", "ArrowDown", "ArrowRight");
  await scrollTo(page, "#step-title", { above: BAR });
  return page;
}

async function training(browser, size) {
  const page = await open(browser, 0, size, { map: false });
  await page.show("train");
  await train(page, TRAINED);
  await page.until((update) => window.glassformer.tracedUpdate.value === update, TRAINED);
  await page.choose("Sentence", "1");
  return page;
}

async function forcing(browser) {
  const page = await open(browser, 300, [1280, 600], { map: false });
  await page.show("train");
  await page.choose("Sentence", "1");
  await scrollTo(page, "h3", { text: "Teacher forcing" });
  return page;
}

async function search(browser, size) {
  const page = await open(browser, 400, size, { map: false });
  await page.show("search");
  await page.choose("Sentence", "she sleeps .");
  await page.choose("Beam", "3");
  for (let i = 0; i < 3; ++i) await page.clickButton("Next ›", ".search-steps");
  const isNarrow = size[0] === PHONE[0];
  await page.click(isNarrow ? ".search-list .best" : ".search-node.best >> nth=-1");
  await scrollTo(page, ".search-controls");
  return page;
}

async function question(browser) {
  const page = await open(browser, END, [1280, 480], { questions: "on", map: false });
  await page.run(() => void (location.hash = "#masks"));
  await page.page.waitForSelector(".question");
  for (const key of ["0 <s>", "1 sie", "2 schläft"]) await page.clickButton(key, ".question");
  await page.clickButton("Answer", ".question");
  return page;
}

async function broken(browser) {
  const page = await open(browser, 0, [1280, 980], { map: false });
  await page.show("break");
  await page.choose("Break", "No residual sums");
  await page.clickButton("Train it for 400 updates");
  for (const update of [50, 100, 200]) await page.untilText("main", `broken, after ${update} updates`);
  await page.clickButton("Stop");
  await scrollTo(page, "h3", { text: "No residual sums" });
  return page;
}

async function digest(browser) {
  const page = await open(browser, END, [1280, 740]);
  await page.show("train");
  await page.clickButton("Show the digest");
  await page.untilText(".digest", "tensors");
  await scrollTo(page, ".time", { above: BAR });
  return page;
}

async function share(browser) {
  const page = await open(browser, END, PHONE);
  await page.show("masks");
  await page.clickButton("Menu", "#tools");
  return page;
}

const PICTURES = {
  whole,
  text,
  masks: (browser) => masks(browser, [1280, 1270]),
  padding,
  walk: (browser) => walk(browser, [1280, 1000]),
  train: (browser) => training(browser, [1280, 1100]),
  forcing,
  search: (browser) => search(browser, [1280, 1000]),
  question,
  broken,
  digest,
  "masks-390": (browser) => masks(browser, PHONE),
  "search-390": (browser) => search(browser, PHONE),
  "share-390": share,
  "walk-1920": (browser) => walk(browser, WIDE),
  "train-1920": (browser) => training(browser, WIDE),
};

const browser = await BROWSERS.chromium.start();
for (const [name, picture] of Object.entries(PICTURES)) {
  if (names.length === 0 || names.includes(name)) await take(await picture(browser), name);
}
await browser.close();

// What the tests of the live page share. scripts/dev/test_live.sh builds the page and starts them:
//
//   GLASSFORMER_LIVE   the directory that scripts/live.sh has made
//   BROWSERS           only this one: chromium or firefox
//   NATIVE             a directory with what the program says about the same models (see native())
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { BROWSERS } from "./browsers.mjs";
import { serveDirectory } from "./static_server.mjs";

export const PROJECT = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const LIVE = process.env.GLASSFORMER_LIVE ?? join(PROJECT, "build/live");
export const FILE = pathToFileURL(join(LIVE, "glassformer-live.html")).href;

/// How many updates the models that the program has trained have made.
export const UPDATES = 50;

export const SECTIONS = "text masks walk attention answer gradient update train search break".split(" ");
export const CHAPTER = "/course/03_softmax";

/// A model of eight numbers per word, which trains and computes a pass at once.
export const SMALL = `${FILE}?questions=off#link?start=debug&questions=off&at=`;

/// A file of the program: toy.json and debug.json are traces, n_best_MODEL_BEAM_PENALTY.txt lists of translations.
export const native = (name) => readFileSync(join(process.env.NATIVE, name), "utf8");

/// A plain static server of the page's directory; see static_server.mjs.
export const serve = () => serveDirectory(LIVE);

/// For tests of what cannot differ between browsers.
export const ONE_BROWSER = ["chromium"];

/// Describes tests for each browser. `define` gets a function that returns the page, which `address` has opened, one that
/// opens another page, and the browser's name. In the end, no page may have complained.
export function inBrowsers(address, define, names = Object.keys(BROWSERS)) {
  for (const name of names) {
    if (process.env.BROWSERS && process.env.BROWSERS !== name) continue;
    const kind = BROWSERS[name];
    describe(name, { skip: !kind && `there is no ${name} here` }, () => {
      let browser, page;
      const others = [];
      before(async () => {
        browser = await kind.start();
        page = await kind.page(browser);
        await page.open(address);
      });
      after(() => browser?.close());
      const another = async (address) => {
        const other = await kind.page(browser);
        others.push(other);
        await other.open(address);
        return other;
      };
      define(() => page, another, name);
      test("nothing complains, and nothing asks a network", () =>
        assert.deepEqual(
          [page, ...others].flatMap(({ complaints }) => complaints),
          [],
        ));
    });
  }
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// Asserts that the page soon shows what is expected. `read` reads it.
export async function soon(read, expected, message) {
  const end = Date.now() + 30_000;
  let found = await read();
  while (!isDeepStrictEqual(found, expected) && Date.now() < end) {
    await wait(50);
    found = await read();
  }
  assert.deepEqual(found, expected, message);
}

/// Reads something as soon as it no longer changes.
export async function settled(read) {
  for (let last = await read(); ;) {
    await wait(200);
    const now = await read();
    if (isDeepStrictEqual(now, last)) return now;
    last = now;
  }
}

/// The number that the page shows with so many digits: "−1.5" is -1.5.
export const numberIn = (text) => Number(text.replace("−", "-"));
export const rounded = (number, digits) => Number(number.toPrecision(digits));

// The page opens from a file and from a plain static server, in every section and chapter, without a word on the console
// and without a request to any network.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE, inBrowsers, SECTIONS, serve, soon } from "./live_page.mjs";

/// Goes through everything that there is to see, with each of the models.
async function seeEverything(page) {
  for (const start of ["toy", "reverse", "debug"]) {
    await page.run(
      (start) => window.glassformer.create(window.glassformer.STARTS.find(({ id }) => id === start)),
      start,
    );
    await page.run(() => window.glassformer.train(1));
    for (const section of SECTIONS) {
      await page.show(section);
      assert.equal(await page.text(".refusal"), null, `${start}, ${section}`);
    }
  }
  await page.show("/course");
  const chapters = await page.run(() =>
    [...document.querySelectorAll(".course-index a")].map((link) => link.getAttribute("href").slice(1)),
  );
  assert.ok(chapters.length >= 20, `${chapters.length} pages`);
  for (const chapter of chapters) {
    await page.show(chapter);
    await soon(() => page.run(() => document.querySelector(".chapter-text").childElementCount > 1), true, chapter);
    assert.equal(await page.text(".chapter-page .warning[role=alert]"), null, chapter);
  }
}

inBrowsers(`${FILE}?questions=off`, (page, another) => {
  test("everything, from a file", () => seeEverything(page()));

  test("everything, from a plain static server", async () => {
    const server = await serve();
    try {
      const other = await another(`http://127.0.0.1:${server.address().port}/?questions=off`);
      assert.equal((await other.run(() => window.glassformer.engine.value.about())).self_test, "f871d317be4ce341");
      await seeEverything(other);
      await other.close();
    } finally {
      server.close();
    }
  });
});

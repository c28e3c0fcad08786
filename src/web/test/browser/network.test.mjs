// The page opens from a file and from a plain static server, without a word on the console and without a request to any
// network. From a file, the course is part of the page; a server sends its pages one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHAPTER, FILE, inBrowsers, SECTIONS, serve, soon } from "./live_page.mjs";

/// Shows all sections of a model.
async function seeSections(page, start) {
  await page.run((start) => window.glassformer.create(window.glassformer.STARTS.find(({ id }) => id === start)), start);
  await page.run(() => window.glassformer.train(1));
  for (const section of SECTIONS) {
    await page.show(section);
    assert.equal(await page.text(".refusal"), null, `${start}, ${section}`);
  }
}

/// Shows the course's index, and returns the places of its pages.
async function seeCourse(page) {
  await page.show("/course");
  const places = await page.run(() =>
    [...document.querySelectorAll(".course-index a")].map((link) => link.getAttribute("href").slice(1)),
  );
  assert.ok(places.length >= 20, `${places.length} pages`);
  return places;
}

async function seeChapter(page, place) {
  await page.show(place);
  await soon(() => page.run(() => document.querySelector(".chapter-text").childElementCount > 1), true, place);
  assert.equal(await page.text(".chapter-page .warning[role=alert]"), null, place);
}

inBrowsers(`${FILE}?questions=off`, (page, another, browser) => {
  test("all models in all sections, and a chapter, from a file", async () => {
    for (const start of ["toy", "reverse", "debug"]) await seeSections(page(), start);
    await seeCourse(page());
    await seeChapter(page(), CHAPTER);
  });

  test("all sections and the course, from a plain static server", async () => {
    const server = await serve();
    try {
      const other = await another(`${server.address}?questions=off`);
      assert.equal((await other.run(() => window.glassformer.engine.value.about())).self_test, "f871d317be4ce341");
      await seeSections(other, "debug");
      const places = await seeCourse(other);
      for (const place of browser === "firefox" ? [CHAPTER] : places) await seeChapter(other, place);
      await other.close();
    } finally {
      server.close();
    }
  });
});

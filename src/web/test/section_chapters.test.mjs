// The sections' links to chapters say what the course says.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CHAPTERS_OF } from "../live/section_chapters.ts";

const COURSE = join(process.env.GLASSFORMER_SOURCES, "../docs/course");
const SECTIONS = "text masks walk attention answer gradient update train search break".split(" ");

test("every section has a chapter, with the number, title and minutes of the course", () => {
  const table = readFileSync(join(COURSE, "README.md"), "utf8");
  assert.deepEqual(Object.keys(CHAPTERS_OF), SECTIONS);
  for (const { number, title, page, minutes } of Object.values(CHAPTERS_OF).flat()) {
    const file = `${page.replaceAll("_", "-")}.md`;
    assert.ok(existsSync(join(COURSE, file)), file);
    const row = table.split("\n").find((line) => line.startsWith(`| ${number} | [${title}](${file}) |`));
    assert.ok(row, `${number} ${title} ${file}`);
    assert.match(row, new RegExp(`-->${minutes}<!--`));
  }
});

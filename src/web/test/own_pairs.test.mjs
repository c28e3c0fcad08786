// The checks of pasted sentence pairs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLines, checkTabbed, firstOf } from "../live/make_model/own_pairs";
import { splitWords } from "../live/text/words";

const repeat = (line, count) => Array(count).fill(line).join("\n");

test("twenty pairs are accepted; line ends, the mark at the start and empty lines at the end do not matter", () => {
  const found = checkLines(
    "\ufeff" + repeat("a b", 20).replaceAll("\n", "\r\n") + "\r\n\r\n",
    repeat("c", 20) + "\n",
    40,
  );
  assert.deepEqual(found.problems, []);
  assert.equal(found.count, 20);
  assert.deepEqual(found.text, { source: "a b\n".repeat(20), target: "c\n".repeat(20) });
});

test("too few and too many pairs", () => {
  assert.deepEqual(checkLines("a", "b", 40).problems, ["Expected 20 to 5,000 sentence pairs, found 1."]);
  const many = repeat("a", 5001);
  assert.deepEqual(checkLines(many, many, 40).problems, ["Expected 20 to 5,000 sentence pairs, found 5,001."]);
  assert.deepEqual(checkLines(repeat("a", 5000), repeat("a", 5000), 40).problems, []);
});

test("sides of different length: the first line without the other side", () => {
  const { problems } = checkLines(repeat("a", 25), repeat("b", 22), 40);
  assert.deepEqual(problems, ["Line 23 has no target side: found 25 source lines and 22 target lines."]);
});

test("an empty line has its number and its side", () => {
  const { problems } = checkLines(repeat("a", 20), ["b", " \u3000 ", ...Array(18).fill("b")].join("\n"), 40);
  assert.deepEqual(problems, ["Line 2: the target side is empty."]);
});

test("a pair that training leaves out is a remark", () => {
  const found = checkLines(
    [...Array(19).fill("a"), repeat("w", 5).replaceAll("\n", " ")].join("\n"),
    repeat("b", 20),
    4,
  );
  assert.deepEqual(found.problems, []);
  assert.match(found.remarks[0], /^Line 20: the source side has 5 words, but data.max_length is 4/);
});

test("pairs with a tab", () => {
  assert.deepEqual(checkTabbed(repeat("a\tb c", 20), 40).text, {
    source: "a\n".repeat(20),
    target: "b c\n".repeat(20),
  });
  const { problems } = checkTabbed(["a b", ...Array(20).fill("a\tb"), "a\tb\tc"].join("\n"), 40);
  assert.deepEqual(problems, [
    "Line 1: expected one tab between source and target, found 0 tabs.",
    "Line 22: expected one tab between source and target, found 2 tabs.",
  ]);
  assert.deepEqual(checkTabbed(["\tb", ...Array(20).fill("a\tb")].join("\n"), 40).problems, [
    "Line 1: the source side is empty.",
  ]);
});

test("of many messages, the first are shown", () => {
  assert.deepEqual(firstOf(["a", "b"], 2), ["a", "b"]);
  assert.deepEqual(firstOf(["a", "b", "c", "d"], 2), ["a", "b", "… and 2 more."]);
});

test("words are split as the engine splits them", () => {
  assert.deepEqual(splitWords(" a\u00a0b\u2028c\x1fd\u200be\ufefff "), ["a", "b", "c", "d\u200be\ufefff"]);
  assert.deepEqual(splitWords("\t \u3000"), []);
});

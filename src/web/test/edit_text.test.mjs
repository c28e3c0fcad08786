// Limits of the sentences, examples, company, and the groups of the settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { companyLengths, companyOf } from "../live/company/company_text";
import { groupsOf, keyOfMessage, nameIn, rangeText, withValues } from "../live/make_model/settings_groups";
import { MOST_WORDS, tooLong } from "../live/text/limits";
import { examplesOf } from "../live/text/text_examples";
import { splitWords } from "../live/text/words";

const words = (count) => Array(count).fill("w").join(" ");

test("60 words are allowed, 61 are not", () => {
  assert.equal(tooLong(words(60)), null);
  assert.match(tooLong(words(62)), /62 words; the page shows at most 60\. Remove 2 words/);
});

test("examples are made of the text", () => {
  const text = { source: "a b c\na b\na b c d\n" + words(61) + "\n", target: "x\ny\nz\nw\n" };
  const examples = Object.fromEntries(examplesOf(text, []).map(({ title, pairs }) => [title, pairs]));
  assert.deepEqual(examples["Short in long company"], [
    { source: "a b", target: "y" },
    { source: "a b c d", target: "z" },
  ]);
  assert.deepEqual(examples["An unknown word"][0], { source: "a b unicorn", target: "x" });
  const sentence = { source: "this is not the red apple .", target: "x" };
  const [unknown] = examplesOf(sentence, []).find(({ title }) => title === "An unknown word").pairs;
  assert.equal(unknown.source, "this is not the red unicorn .");
  assert.equal(examples["An empty target"][0].target, "");
  for (const pairs of Object.values(examples)) {
    assert(pairs.length <= 8);
    for (const { source } of pairs) assert.equal(tooLong(source), null);
  }
});

test("a text without a usable line has only the first sentences", () => {
  const first = [{ source: "a", target: "b" }];
  assert.deepEqual(examplesOf({ source: "", target: "" }, first), [{ title: "The first ones", pairs: first }]);
});

test("company is longer than the sentence, and as long as asked for", () => {
  const { least, most, first } = companyLengths({ source: "a b", target: words(5) });
  assert.deepEqual([least, most, first], [6, MOST_WORDS, 17]);
  const company = companyOf({ source: "a b\nc\n", target: "x\ny z\n" }, 7);
  assert.equal(company.source, "a b c a b c a");
  assert.equal(splitWords(company.target).length, 7);
});

test("settings are grouped by section, nested ones included", () => {
  const setting = (key, more = {}) => ({ key, meaning: "", value: "1", kind: "integer", ...more });
  const settings = [setting("model.heads"), setting("training.seed"), setting("training.optimizer.beta1")];
  const groups = groupsOf(settings);
  assert.deepEqual(
    groups.map(({ section }) => section),
    ["model", "training", "training.optimizer"],
  );
  assert.equal(nameIn(groups[2], groups[2].settings[0]), "beta1");
  assert.equal(rangeText(setting("a.b", { least: 1, most: 4096 })), "an integer from 1 to 4,096");
  assert.deepEqual(
    withValues(settings, { "model.heads": "2", "files.only": "x" }, { "training.seed": "3" }).map(({ value }) => value),
    ["2", "3", "1"],
  );
  assert.equal(keyOfMessage('model.heads: expected an integer from 1 to 4096, found "x"', settings), "model.heads");
  assert.equal(keyOfMessage("text: expected a target line", settings), null);
  assert.equal(keyOfMessage("no colon", settings), null);
});

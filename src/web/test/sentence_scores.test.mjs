import assert from "node:assert/strict";
import { test } from "node:test";
import { heldOut, scoreModel } from "../live/break_scores";
import { sameWords, splitAtDifference } from "../live/sentence_scores";
import { splitWords } from "../live/text/words";
import { debugModel } from "./engine.mjs";

test("exact match compares words, whatever the white space between them", () => {
  assert.ok(sameWords("der  hund\u00a0sieht ", "der hund sieht"));
  assert.ok(!sameWords("der hund", "hund der"));
  assert.ok(!sameWords("der hund", "derhund"));
  assert.ok(sameWords("", " "));
  assert.deepEqual(splitWords("a\ufeffb\u2009c"), ["a\ufeffb", "c"]); // U+FEFF is not white space
});

test("a wrong translation is split at its first word that is not the expected one", () => {
  const split = (own, expected) => Object.values(splitAtDifference(own, expected));
  assert.deepEqual(split("ich kaufe ein  haus", "ich kaufen ein haus"), ["ich", "kaufe", "ein haus", false]);
  assert.deepEqual(split("haus", "das haus"), ["", "haus", "", false]);
  assert.deepEqual(split("das haus haus", "das haus"), ["das haus", "haus", "", false]);
  assert.deepEqual(split("das", "das haus"), ["das", null, "", true]);
  assert.deepEqual(split("", "das"), ["", null, "", true]);
  assert.deepEqual(split(" das haus", "das haus"), ["das haus", null, "", false]);
});

/// Twenty pairs to score, then seven for the long sentence.
const text = {
  source: "she sleeps .\nthe small dog sees a house .\n".repeat(14),
  target: "sie schläft .\nder kleine hund sieht ein haus .\n".repeat(14),
};

test("the sentences that are scored are not in the long one", () => {
  const { pairs, long } = heldOut(text);
  assert.equal(pairs.length, 20);
  assert.equal(splitWords(long).length, 4 * 3 + 3 * 7);
});

test("an intact model is right, and does not mind a long sentence beside it", async () => {
  const { engine } = await debugModel();
  for (let i = 0; i < 100; ++i) engine.step();
  const scores = await scoreModel(engine, text, 100);
  // It has learned two sentences by heart, and knows them by their words, in whatever order.
  assert.deepEqual(
    { ...scores, loss: 0 },
    {
      update: 100,
      sentences: 20,
      loss: 0,
      tokens: 120,
      correct: 120,
      exact: 20,
      orderBlind: 20,
      different: 2,
      changed: 0,
    },
  );
  assert.ok(scores.loss < 0.1);
});

test("without a look-ahead mask, teacher forcing is right and free running is not", async () => {
  const { engine } = await debugModel({ "masks.look_ahead": "false" });
  for (let i = 0; i < 100; ++i) engine.step();
  const { correct, tokens, exact } = await scoreModel(engine, text, 100);
  assert.equal(correct, tokens);
  assert.ok(exact < 20, `${exact} exact matches`);
});

test("without positions, the order of the source does not matter", async () => {
  const loss = (engine, source) => engine.trace([{ source, target: "sie schläft ." }]).loss.mean;
  const difference = ({ engine }) => Math.abs(loss(engine, "she sleeps .") - loss(engine, ". sleeps she"));
  assert.ok(difference(await debugModel()) > 1e-3);
  assert.ok(difference(await debugModel({ "model.positions": "false" })) < 1e-6);
});

test("without padding masks, a long sentence changes the translations beside it", async () => {
  const off = { "masks.encoder_padding": "false", "masks.target_padding": "false", "masks.cross_padding": "false" };
  const { engine } = await debugModel(off);
  for (let i = 0; i < 100; ++i) engine.step();
  const { changed } = await scoreModel(engine, text, 100);
  assert.ok(changed > 0);
});

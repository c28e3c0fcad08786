// The arithmetic of the course's live figures gives the numbers that the chapters print.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adamUpdates } from "../course/arithmetic/adam";
import { lossOf } from "../course/arithmetic/cross_entropy";
import { combinedMask, lookAheadMask, padded, paddingMask, parseIds, reasonsFor } from "../course/arithmetic/masks";
import { maskedSoftmax } from "../course/arithmetic/softmax";
import { softmaxGradient } from "../course/arithmetic/softmax_gradient";
import { adamSettings, adamStart } from "../course/adam_start";
import { listsOf, numbersOf, wordsOf } from "../course/slots";
import { chapter, printed, rows, slot } from "./chapters.mjs";

test("chapter 3: weights, and the wrong ways to compute them", () => {
  const text = chapter("03-softmax");
  const { scores: given, blocked: mask } = slot(text, "softmax");
  const scores = numbersOf(given);
  const blocked = numbersOf(mask).map((cell) => cell === 1);
  const weights = (way, changed = scores, hidden = blocked) => maskedSoftmax(changed, hidden, way).weights;
  assert.deepEqual(printed(scores, 4), rows(text, "score")[0]);
  assert.deepEqual(printed(weights("right"), 4), rows(text, "weight")[0]);
  assert.deepEqual(printed(weights("no_mask"), 4), rows(text, "no mask")[0]);
  assert.deepEqual(printed(weights("mask_afterwards"), 4), rows(text, "weight")[0]);

  const [four] = rows(text, "score").filter((row) => row.length === 4);
  const every = four.map(() => true);
  assert.deepEqual(printed(weights("large_number", four, every), 2), rows(text, "weight with -1e9")[0]);
  assert.deepEqual(weights("right", four, every), [0, 0, 0, 0]);

  const visible = [false, false, false];
  assert.deepEqual(printed(weights("right", [800, 801, 802], visible), 4), rows(text, "right").at(-1));
  assert.deepEqual(weights("not_subtracted", [800, 801, 802], visible), rows(text, "naive")[0]);
  // "if a blocked score is much larger than all others, the visible weights have already been rounded to 0"
  assert.ok(weights("mask_afterwards", [0, 1, 200], [false, false, true]).every(Number.isNaN));
});

test("chapter 4: the Jacobian, d_scores and finite differences", () => {
  const text = chapter("04-softmax-gradient");
  const { scores, d_weights } = slot(text, "softmax_gradient");
  const row = softmaxGradient(numbersOf(scores), numbersOf(d_weights));
  assert.deepEqual(printed(row.weights, 2), rows(text, "weight")[0]);
  row.jacobian.forEach((changes, k) => assert.deepEqual(printed(changes, 2), rows(text, `change of weight ${k}`)[0]));
  assert.deepEqual(printed(row.dScores, 2), rows(text, "d_score")[0]);
  assert.deepEqual(printed(row.dScores, 7), rows(text, "formula")[0]);
  assert.deepEqual(printed(row.slopes, 7), rows(text, "finite difference")[0]);
  assert.ok(text.includes(`m = ${row.mean.toFixed(2)}\n`));
});

test("chapter 9: p, q, p - q and the loss", () => {
  const text = chapter("09-cross-entropy");
  const parameters = slot(text, "p_minus_q");
  const logits = numbersOf(parameters.logits);
  const expected = Number(parameters.expected);
  const { p, q, gradient, loss } = lossOf(logits, expected, Number(parameters.smoothing));
  const likely = p
    .map((_, v) => v)
    .sort((a, b) => p[b] - p[a])
    .slice(0, 6);
  const of = (numbers) =>
    printed(
      likely.map((v) => numbers[v]),
      4,
    );
  assert.deepEqual(of(p), rows(text, "p")[0]);
  assert.deepEqual(of(q), rows(text, "q")[0]);
  assert.deepEqual(of(gradient), rows(text, "p - q")[0]);
  assert.deepEqual(of(gradient.map((number) => number / Number(parameters.tokens))), rows(text, "d_logit")[0]);
  assert.equal(printed([loss], 4)[0], rows(text, "loss")[0][0]);
  assert.equal(wordsOf(parameters.words).length, logits.length);

  // The smallest possible loss with a smoothing of 0.1: where p = q.
  const { q: smooth } = lossOf(logits, expected, 0.1);
  const best = lossOf(smooth.map(Math.log), expected, 0.1);
  assert.ok(Math.max(...best.gradient.map(Math.abs)) < 1e-12);
  for (const number of [Math.max(...smooth), Math.min(...smooth), best.loss]) {
    assert.ok(text.includes(`-->${number.toFixed(4)}<`), `${number}`);
  }
  assert.equal(lossOf([0, 200], 0, 0).loss, 200); // finite, although p rounds to 0
});

test("chapter 11: update 21 of one weight, and what goes wrong", () => {
  const text = chapter("11-learning");
  const parameters = slot(text, "adam");
  const { start, given, settings } = adamStart(parameters);
  const [first] = adamUpdates(start, given, settings);
  const number = (name) => rows(text, name)[0][0];
  assert.equal(printed([given[0].gradient], 6)[0], number("gradient"));
  assert.equal(printed([start.m], 6)[0], number("m before"));
  assert.equal(printed([first.m], 6)[0], number("m after"));
  assert.equal(printed([first.mHat], 6)[0], number("m corrected"));
  assert.equal(printed([first.rootV], 6)[0], number("root of corrected v"));
  assert.equal(printed([first.fraction], 6)[0], number("fraction"));
  assert.equal(printed([first.rate], 6)[0], number("rate"));
  assert.equal(printed([start.weight], 6)[0], number("weight before"));
  assert.equal(printed([first.weight], 6)[0], number("weight after"));
  assert.equal(first.clip, 1);

  // "Continuing without m and v": the weight would change by the whole rate.
  const [again] = adamUpdates({ ...start, counted: 0, m: 0, v: 0 }, given, settings);
  assert.ok(text.includes(`-->${again.change.toFixed(4)}<`) && text.includes(`-->+${first.change.toFixed(4)}<`));
});

test("chapter 11: m and v that are not corrected", () => {
  const text = chapter("11-learning");
  const { start, settings } = adamStart(slot(text, "adam"));
  const fractions = (corrected, beta2 = settings.beta2) => {
    const same = Array.from({ length: 200 }, () => ({ gradient: 1, norm: 1 }));
    const updates = adamUpdates({ ...start, update: 1, counted: 0, m: 0, v: 0 }, same, {
      ...settings,
      corrected,
      beta2,
    });
    return printed(
      [1, 2, 5, 10, 50, 200].map((update) => updates[update - 1].fraction),
      2,
    );
  };
  assert.deepEqual(fractions(true), rows(text, "right")[0]);
  assert.deepEqual(fractions(false), rows(text, "not corrected")[0]);
  assert.deepEqual(fractions(false, 0.999), rows(text, "with 0.999")[0]);
});

test("Adam: clipping and the schedule", () => {
  const settings = adamSettings("0.9 0.98 1e-09 1", "0.001 0.02 10");
  const start = { update: 5, counted: 0, weight: 0, m: 0, v: 0 };
  const [update] = adamUpdates(start, [{ gradient: 3, norm: 4 }], settings);
  assert.equal(update.clip, 0.25);
  assert.ok(Math.abs(update.m - 0.1 * 0.75) < 1e-12);
  assert.ok(Math.abs(update.rate - (0.001 + 0.019 / 2)) < 1e-12); // half of the warm-up
  const [unclipped] = adamUpdates(start, [{ gradient: 3, norm: 4 }], { ...settings, clipNorm: 0 });
  assert.equal(unclipped.clip, 1);
  assert.equal(adamUpdates({ ...start, update: 40 }, [{ gradient: 3, norm: 4 }], settings)[0].rate, 0.01);
});

test("chapter 1: the decoder's mask of sentence 1", () => {
  const text = chapter("01-masks");
  const parameters = slot(text, "masks");
  const batch = padded(listsOf(parameters.target).map(numbersOf), 0);
  const words = wordsOf(parameters.target_words);
  const mask = combinedMask(paddingMask(batch[1], 0), lookAheadMask(batch[1].length));
  const pads = rows(text, "<pad>").filter((row) => row.length === mask.length);
  const expected = batch[1].map((id, query) => (id === 0 ? pads[query - 4] : rows(text, words[id])[0]));
  assert.deepEqual(mask, expected);
  const source = padded(listsOf(parameters.source).map(numbersOf), 0);
  assert.deepEqual(paddingMask(source[1], 0), [0, 0, 0, 0, 1, 1, 1, 1]);
  assert.deepEqual(paddingMask(source[1], 4), [0, 0, 1, 0, 0, 0, 0, 0]); // the wrong id of padding hides a word
});

test("ids are read, and what is wrong is said", () => {
  assert.deepEqual(parseIds(" 1 5  9", 13), [1, 5, 9]);
  assert.match(parseIds("1 13", 13), /from 0 to 12.*“13”/);
  assert.match(parseIds("1 -2", 13), /“-2”/);
  assert.match(parseIds("", 13), /found “”/);
  assert.deepEqual(padded([[1], [2, 3]], 0), [
    [1, 0],
    [2, 3],
  ]);
  assert.deepEqual(reasonsFor(1, 1), ["padding", "future"]);
  assert.deepEqual(reasonsFor(0, 1), ["future"]);
});

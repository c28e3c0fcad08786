// The answers to the questions follow from the trace.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { isRight, questionsOf, QUESTIONS, rightAnswer } from "../live/questions.ts";
import { Trace } from "../trace/trace.ts";
import { tinyEngine } from "./engine.mjs";

const engine = await tinyEngine(0);
const pairs = [
  { source: "red", target: "red" },
  { source: "red green blue", target: "blue green red" },
];
const traceOf = (masks) => new Trace(engine.trace(pairs, masks));
const own = traceOf();
const [B, S, T] = [2, own.source.length, own.target.length];
const cells = (queries, keys, blocked) => ({
  sentences: B,
  queries,
  keys,
  blocked: new Uint8Array(B * queries * keys).fill(blocked),
});
const open = traceOf({
  encoder_padding: cells(S, S, 0),
  decoder_combined: cells(T, T, 0),
  cross_padding: cells(T, S, 0),
});
const asked = (id, trace) => QUESTIONS.find((question) => question.id === id).ask(trace);

test("every question fits the trace and names its answer", () => {
  assert.ok(QUESTIONS.length >= 10);
  for (const { id, ask } of QUESTIONS) {
    const question = ask(own);
    assert.ok(question, id);
    assert.ok(rightAnswer(question.form).length > 0, id);
    const { form } = question;
    assert.ok(isRight(form, form.right), id);
    if (form.kind === "number") assert.ok(!isRight(form, form.right + form.tolerance + 0.5), id);
    else if (form.kind === "choice") assert.ok(!isRight(form, form.right + 1), id);
    else assert.ok(!isRight(form, form.right.with(0, !form.right[0])), id);
  }
});

test("answers change with the masks", () => {
  assert.equal(asked("company", own).form.right, 0);
  assert.equal(asked("company", open).form.right, 1);
  assert.deepEqual(asked("visible keys", own).form.right, [true, true, false, false]); // sentence 0 has one word
  assert.deepEqual(asked("visible keys", open).form.right, [true, true, true, true]);
});

test("numbers are those of the model", () => {
  assert.equal(asked("memory parts", own).form.right, 1);
  assert.ok(Math.abs(asked("scale", own).form.right - Math.sqrt(8)) < 1e-3);
  assert.ok(Math.abs(asked("untrained loss", own).form.right - Math.log(own.json.vocabulary.target.length)) < 1e-9);
  assert.equal(asked("difference sum", own).form.right, 0);
  assert.equal(asked("row sum", own).form.right, 1);
  assert.equal(rightAnswer(asked("expected sign", own).form), "Negative");
  assert.equal(rightAnswer(asked("shift", own).form), own.target.token(0, 0));
  assert.equal(rightAnswer(asked("cross keys", own).form), "From the encoder’s output");
});

const ids = (section, all) => questionsOf(section, all).map(({ id }) => id);

test("a question is asked in the first of its sections that the page has", () => {
  assert.ok(ids("train", ["text", "train"]).includes("adam"));
  assert.ok(!ids("train", ["text", "train", "update"]).includes("adam"));
  assert.ok(ids("update", ["text", "train", "update"]).includes("adam"));
});

test("the page opens without a question, and asks all of them later", () => {
  const all = [...readFileSync("live/sections.ts", "utf8").matchAll(/\bid: "(\w+)"/g)].map(([, id]) => id);
  assert.equal(all.length, 10);
  assert.deepEqual(ids(all[0], all), []);
  assert.deepEqual(all.flatMap((section) => ids(section, all)).toSorted(), QUESTIONS.map(({ id }) => id).toSorted());
  assert.deepEqual(ids("masks", ["masks", "answer"]), []); // whatever is first
});

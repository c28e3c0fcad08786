// What a page says of single numbers: the statements of the branch that ran, and masks that are applied later.
import assert from "node:assert/strict";
import test from "node:test";
import { blockedLaterIn, blockedText } from "../trace/reasons.ts";
import { explainNumber } from "../trace/terms/explain.ts";
import { plainText } from "../trace/terms/formula.ts";
import { statementsOfCell } from "../trace/terms/statements.ts";
import { Trace } from "../trace/trace.ts";
import { tinyEngine } from "./engine.mjs";

const engine = await tinyEngine(0);
const trace = new Trace(
  engine.trace([
    { source: "red", target: "red" },
    { source: "red green blue", target: "blue green red" },
  ]),
);
const { length } = trace.target;
const stepOf = (name) => trace.steps.findIndex(({ output }) => trace.tensor(output).name === name);
const textsOf = (name, row, col) =>
  statementsOfCell(trace, trace.step(stepOf(name)), { row, col })
    .map(({ text }) => text)
    .join(" ");

test("the statements of one number are those of the branch that ran", () => {
  assert.ok(trace.expected.isPad(0, length - 1) && !trace.expected.isPad(1, length - 1));
  const [pad, word] = [length - 1, 2 * length - 1];
  for (const name of ["losses", "d_logits"]) {
    assert.match(textsOf(name, pad, 0), /^(return \{\};|std::ranges::fill\(row, Scalar\{0\}\);)$/);
    assert.doesNotMatch(textsOf(name, word, 0), /return \{\};|fill/);
    assert.notEqual(textsOf(name, word, 0), "");
  }
  const expected = trace.expected.id(1, length - 1);
  assert.match(textsOf("d_logits", word, expected), /row\[token\] -=/);
  assert.doesNotMatch(textsOf("d_logits", word, expected === 0 ? 1 : 0), /row\[token\] -=/);
  assert.match(textsOf("embedded", trace.source.length - 1, 0), /^std::ranges::fill\(x, Scalar\{0\}\);$/);
  assert.match(textsOf("embedded", 0, 0), /^x\[j\] = /);
});

test("before the mask is applied, a cell says which step will block it", () => {
  const weights = stepOf("weights");
  for (const name of ["products", "scores"]) {
    const step = trace.step(stepOf(name));
    assert.equal(blockedLaterIn(trace, trace.tensor(step.output)), weights);
    const notes = explainNumber(trace, step, 0, trace.source.length - 1).notes.map(plainText);
    assert.deepEqual(notes, [`It will be blocked in step ${weights + 1}: this key is padding.`]);
    assert.deepEqual(explainNumber(trace, step, 0, 0).notes, []);
  }
  assert.equal(blockedLaterIn(trace, trace.tensor(trace.step(weights).output)), undefined);
  assert.equal(blockedText(["padding", "future"]), "blocked: this key is padding, and it is in the future");
  assert.equal(blockedText([], 7), "");
});

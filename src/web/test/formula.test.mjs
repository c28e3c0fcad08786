// What the page writes about a number, and which cells it outlines.
import assert from "node:assert/strict";
import test from "node:test";
import { boxesOf } from "../trace/terms/boxes.ts";
import * as e from "../trace/terms/expression.ts";
import { explainNumber } from "../trace/terms/explain.ts";
import { linesOf, plainText } from "../trace/terms/formula.ts";
import { normalCdf } from "../trace/terms/normal.ts";
import { needsTraces, traces } from "./traces.mjs";

const cell = (value, row = 0, col = 0, tensor = 7) => ({ kind: "cell", cell: { tensor, row, col }, value, digits: 5 });
const printed = (expression) => linesOf(e.valueOf(expression), 5, expression).map(plainText);
const numbers = (count) => Array.from({ length: count }, (_, i) => cell((i + 1) / 8, 0, i));

test("a softmax is printed in these digits", () => {
  const scores = [1.23, -0.11, 0.42].map((score, i) => cell(score, 0, i));
  const softmax = e.divide(e.exp(scores[0]), e.sum(scores.map(e.exp)));
  assert.deepEqual(printed(softmax), ["0.5859 = exp(1.23) / (exp(1.23) + exp(−0.11) + exp(0.42))"]);
});

test("negative numbers and looser operators are put in parentheses", () => {
  const [a, b, c] = [cell(-0.5), cell(-0.25), cell(2)];
  assert.deepEqual(printed(e.sum([a, b])), ["−0.75 = −0.5 + (−0.25)"]);
  assert.deepEqual(printed(e.times(c, e.minus(a, b))), ["−0.5 = 2 × (−0.5 − (−0.25))"]);
  assert.deepEqual(printed(e.minus(a, e.sum([b, c]))), ["−2.25 = −0.5 − (−0.25 + 2)"]);
  assert.deepEqual(printed(e.divide(a, e.times(b, c))), ["1 = −0.5 / (−0.25 × 2)"]);
  assert.deepEqual(printed(e.negative(e.sum([b, c]))), ["−1.75 = −(−0.25 + 2)"]);
  assert.deepEqual(printed(e.sum([c, e.negative(c)])), ["0 = 2 + (−2)"]);
});

test("a long sum loses its middle, but not the term that matters", () => {
  assert.equal(printed(e.sum(numbers(12)))[0].includes("more"), false);
  assert.deepEqual(printed(e.sum(numbers(13))), ["11.38 = 0.125 + 0.25 + 0.375 + … 9 more … + 1.625"]);
  assert.deepEqual(printed(e.sum(numbers(14), { always: 7 })), [
    "13.13 = 0.125 + 0.25 + 0.375 + … 4 more … + 1 + … 5 more … + 1.75",
  ]);
});

test("a sum that lacks tokens says how many, and has no value", () => {
  const sum = e.sum(numbers(2), { missing: 900 });
  assert.ok(Number.isNaN(e.valueOf(sum)));
  assert.deepEqual(linesOf(0.5, 5, sum).map(plainText), [
    "0.5 = 0.125 + 0.25 + … 900 tokens that this page does not show …",
  ]);
});

test("each intermediate result has one line", () => {
  const mean = e.named("mean(x)", e.divide(e.sum(numbers(2)), e.constant(2, "2")));
  const variance = e.named("var(x)", e.sum(numbers(2).map((x) => e.square(e.minus(x, mean)))));
  assert.deepEqual(printed(e.sqrt(variance)), [
    "0.08839 = √(0.007813)",
    "where 0.007813 = var(x) = (0.125 − 0.1875)² + (0.25 − 0.1875)²",
    "where 0.1875 = mean(x) = (0.125 + 0.25) / 2",
  ]);
});

test("a sum is outlined as a line, even of terms that are not printed; other numbers are outlined one by one", () => {
  const [row, column] = [numbers(20), numbers(20).map(({ value }, i) => cell(value, i, 3, 8))];
  const product = e.sum(row.map((x, i) => e.times(x, column[i])));
  assert.deepEqual(boxesOf([e.sum([product, cell(1, 0, 5, 9)])]), [
    { tensor: 7, row: 0, col: 0, rows: 1, cols: 20 },
    { tensor: 8, row: 0, col: 3, rows: 20, cols: 1 },
    { tensor: 9, row: 0, col: 5, rows: 1, cols: 1 },
  ]);
});

test("a product skips what the program does not read", () => {
  assert.equal(e.valueOf(e.timesVisible(cell(0), cell(NaN))), 0);
  assert.ok(Number.isNaN(e.valueOf(e.times(cell(0), cell(NaN)))));
});

/// From mpmath, 17 digits.
test("the distribution function of the normal distribution", () => {
  const values = [
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [-2.9, 1.8658133003840378e-3],
    [-3.1, 9.6760321321835689e-4],
    [3.1, 0.99903239678678164],
    [-8, 6.2209605742717841e-16],
    [-20, 2.7536241186062337e-89],
  ];
  for (const [x, value] of values) assert.ok(Math.abs(normalCdf(x) / value - 1) < 1e-13, `Phi(${x}) = ${normalCdf(x)}`);
});

/// The printed formula as a number, or null if it has gaps.
function readBack(line) {
  const equals = line.findIndex(({ text }) => text.startsWith(" = "));
  if (equals < 0 || line.some(({ kind }) => kind === "gap")) return null;
  const code = line.slice(equals).map((piece, i) => {
    if (piece.kind === "number") return piece.text.startsWith("−") ? `(${piece.value})` : String(piece.value);
    const text = i === 0 ? piece.text.slice(3) : piece.text;
    return text
      .replaceAll("×", "*")
      .replaceAll("−", "-")
      .replaceAll("√(", "sqrt(")
      .replaceAll(/√(\d+)/g, "sqrt($1)")
      .replaceAll(")²", ")**2")
      .replaceAll("Φ(", "normalCdf(")
      .replaceAll("φ(", "density(");
  });
  const density = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const { exp, log, sqrt, max } = Math;
  return new Function("exp", "log", "sqrt", "max", "normalCdf", "density", `return ${code.join("")}`)(
    exp,
    log,
    sqrt,
    max,
    normalCdf,
    density,
  );
}

test("a formula that is printed in full says what it computes", needsTraces, () => {
  const equations = new Set();
  for (const { trace } of traces) {
    for (const step of trace.steps) {
      const { rows, cols } = trace.matrix(step.output);
      for (let i = 0; i < rows * cols; i += 7) {
        const { lines, value } = explainNumber(trace, step, Math.floor(i / cols), i % cols);
        const read = readBack(lines[0]);
        if (read === null || Number.isNaN(value)) continue;
        assert.ok(Math.abs(read - value) <= 1e-12 * Math.max(1, Math.abs(value)), `${plainText(lines[0])}: ${read}`);
        equations.add(step.equation);
      }
    }
  }
  assert.ok(equations.size >= 25, `only ${equations.size} equations have a formula that is printed in full`);
});

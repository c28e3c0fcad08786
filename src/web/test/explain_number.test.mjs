// Every number of every step, recomputed from its explanation.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { explainNumber, ruleFor } from "../trace/terms/explain.ts";
import { plainText } from "../trace/terms/formula.ts";
import { piecesOfStatements, statementsOf } from "../trace/terms/statements.ts";
import { tolerance } from "./rounding.mjs";
import { needsTraces, traces, withFewTokens } from "./traces.mjs";

/// The equations that the layers record, as a trace has them: without axes and line breaks.
function recordedEquations() {
  const equations = new Set();
  for (const directory of ["layers", "model"]) {
    const path = join(process.env.GLASSFORMER_SOURCES, directory);
    for (const file of readdirSync(path).filter((name) => name.endsWith(".cpp"))) {
      const code = readFileSync(join(path, file), "utf8");
      for (const [, strings] of code.matchAll(/\.record\(\s*(?:name_|"\w+"),\s*((?:"[^"]*"\s*)+),/g)) {
        const equation = [...strings.matchAll(/"([^"]*)"/g)].map(([, text]) => text).join("");
        equations.add(equation.replace(/ \[[^\]]*\](?= \+?=)/, "").replaceAll(/ \[[^\]]*\]\}/g, "}"));
      }
    }
  }
  return [...equations];
}

function cellsOf(trace, step) {
  const { rows, cols } = trace.matrix(step.output);
  return Array.from({ length: rows * cols }, (_, i) => [Math.floor(i / cols), i % cols]);
}

/// How many tolerances a recorded number is from the expression that explains it; 0 if both are NaN.
function distance(recorded, { expression, value }) {
  if (Number.isNaN(recorded) && Number.isNaN(value)) return 0;
  const apart = Math.abs(recorded - value) / tolerance(expression);
  return Number.isNaN(apart) ? Infinity : apart;
}

test("every equation that a layer records has a rule", () => {
  const equations = recordedEquations();
  assert.ok(equations.length >= 35, `found only ${equations.length} equations`);
  assert.deepEqual(
    equations.filter((equation) => !ruleFor(equation)),
    [],
  );
});

test("the traces have all equations that the layers record", needsTraces, () => {
  const seen = new Set(traces.flatMap(({ trace }) => trace.steps.map(({ equation }) => equation)));
  assert.deepEqual(new Set(recordedEquations()), seen);
});

for (const { name, trace } of traces) {
  test(`${name}: every number of every step is what its formula gives`, () => {
    let largest = 0;
    trace.steps.forEach((step, i) => {
      for (const [row, col] of cellsOf(trace, step)) {
        const explanation = explainNumber(trace, step, row, col);
        const apart = distance(explanation.recorded, explanation);
        largest = Math.max(largest, apart);
        const { recorded, value } = explanation;
        const place = `step ${i + 1}, ${step.part}: ${step.equation}, row ${row}, column ${col}`;
        assert.ok(apart <= 1, `${place}: recorded ${recorded}, formula ${value}: ${apart} tolerances apart`);
      }
    });
    console.log(`${name}: the largest difference is ${largest.toFixed(3)} of what rounding allows`);
  });
}

test("if tokens are left out, a formula fits or says that it lacks some", needsTraces, () => {
  const lacking = new Set();
  for (const { trace } of traces.map((one) => ({ trace: withFewTokens(one.trace) }))) {
    const steps = trace.steps.filter(({ output, inputs }) =>
      [output, ...inputs.map(({ tensor }) => tensor)].some((tensor) => trace.tensor(tensor).ids),
    );
    for (const step of steps) {
      for (const [row, col] of cellsOf(trace, step).filter((_, i) => i % 5 === 0)) {
        const explanation = explainNumber(trace, step, row, col);
        const { recorded, value, lines } = explanation;
        if (Number.isNaN(value)) {
          lacking.add(step.equation.split(" ")[0]);
          assert.match(plainText(lines[0]), /tokens that this page does not show/);
        } else {
          assert.ok(
            distance(recorded, explanation) <= 1,
            `${step.equation}, row ${row}: ${recorded}, formula ${value}`,
          );
        }
      }
    }
  }
  assert.deepEqual([...lacking].sort(), ["d_x", "losses", "p"]);
});

/// The cell whose formula should not fit: the next one in its row, or in its column if there is only one.
function neighbour(trace, step, row, col) {
  const { rows, cols } = trace.matrix(step.output);
  return cols > 1 ? [row, (col + 1) % cols] : [(row + 1) % rows, col];
}

test("the formula of one number does not fit its neighbour", needsTraces, () => {
  const fits = new Map(); // equation -> how many numbers differ from their neighbours, and how many fit their formulas
  for (const { trace } of traces) {
    for (const step of trace.steps) {
      const count = fits.get(step.equation) ?? { differ: 0, fit: 0 };
      fits.set(step.equation, count);
      for (const [row, col] of cellsOf(trace, step).filter((_, i) => i % 3 === 0)) {
        const other = neighbour(trace, step, row, col);
        const recorded = trace.matrix(step.output).at(row, col);
        if (recorded === trace.matrix(step.output).at(...other)) continue;
        count.differ += 1;
        if (distance(recorded, explainNumber(trace, step, ...other)) <= 1) count.fit += 1;
      }
    }
  }
  for (const [equation, { differ, fit }] of fits) {
    assert.ok(differ > 0, `${equation}: no two neighbours differ`);
    assert.ok(fit < differ / 4, `${equation}: ${fit} of ${differ} numbers also fit the formulas of their neighbours`);
  }
});

test("every step has the statements that computed it, each once", needsTraces, () => {
  for (const { trace } of traces) {
    for (const step of trace.steps) {
      const texts = statementsOf(trace, step).map(({ text }) => text);
      const pieces = piecesOfStatements(trace, step);
      const where = `${step.equation} in ${step.code.file}: ${texts.join(" ")}`;
      assert.ok(pieces.length > 0, where);
      for (const piece of pieces)
        assert.equal(texts.filter((text) => text.includes(piece)).length, 1, `${piece}, ${where}`);
      assert.equal(texts.length, pieces.length, where);
      assert.ok(
        texts.every((text) => text.endsWith(";") || text.endsWith("}")),
        where,
      );
    }
  }
});

// src/layers/activation.cpp
import {
  call,
  constant,
  divide,
  exp,
  minus,
  named,
  negative,
  sum,
  times,
  type CellNumber,
  type Expression,
} from "./expression";
import { normalCdf, normalDensity } from "./normal";
import type { Draft, Rules, Sentence } from "./rule";
import type { StepReader } from "./step_reader";

const one = constant(1, "1");
const cdf = (x: Expression) => call("Φ(", x, ")", normalCdf);
const density = (x: Expression) => call("φ(", x, ")", normalDensity);
const CDF: Sentence = ["Φ is the distribution function of the standard normal distribution."];
const DENSITY: Sentence = ["φ is its density, exp(−x² / 2) / √(2π)."];

/// sigmoid(x)
const sigmoid = (x: Expression): Expression => divide(one, sum([one, exp(negative(x))]));

const ACTIVATIONS: Record<string, (x: CellNumber) => Draft> = {
  relu: (x) => ({ is: call("max(", x, ", 0)", (number) => Math.max(number, 0)) }),
  gelu: (x) => ({ is: times(x, cdf(x)), notes: [CDF] }),
  swish: (x) => ({ is: times(x, named("sigmoid(x)", sigmoid(x))) }),
};

/// The slope at x.
const SLOPES: Record<string, (x: CellNumber) => Draft> = {
  relu: (x) => {
    const why =
      x.value > 0
        ? ["The slope of relu is 1, because expanded is positive: ", x, "."]
        : ["The slope of relu is 0, because expanded is not positive: ", x, "."];
    return { is: x.value > 0 ? one : constant(0, "0"), notes: [why] };
  },
  gelu: (x) => ({
    is: named("the slope of gelu", sum([cdf(x), times(x, density(x))])),
    notes: [CDF, DENSITY],
  }),
  swish: (x) => {
    const s = named("sigmoid(x)", sigmoid(x));
    return { is: named("the slope of swish", times(s, sum([one, times(x, minus(one, s))]))) };
  },
};

const of = <Value>(table: Record<string, Value>, { model }: StepReader): Value => table[model.activation]!;

export const ACTIVATION_RULES: Rules = {
  "activated = activation({expanded})": (step, n, j) => of(ACTIVATIONS, step)(step.input("expanded").at(n, j)),

  "d_expanded = {d_activated} * activation'({expanded})": (step, n, j) => {
    const slope = of(SLOPES, step)(step.input("expanded").at(n, j));
    return { ...slope, is: times(step.input("d_activated").at(n, j), slope.is) };
  },
};

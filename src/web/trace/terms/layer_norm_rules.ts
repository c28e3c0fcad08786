// src/layers/layer_norm.cpp
import {
  constant,
  divide,
  minus,
  named,
  sqrt,
  square,
  sum,
  times,
  type CellNumber,
  type Expression,
} from "./expression";
import { dot, type Rules } from "./rule";

const EPSILON = constant(1e-5, "0.00001"); // LayerNorm::kEpsilon

const mean = (terms: Expression[]): Expression => divide(sum(terms), constant(terms.length, String(terms.length)));
const meanOf = (x: CellNumber[]) => named("mean(x)", mean(x));

export const LAYER_NORM_RULES: Rules = {
  "inv_std = 1 / sqrt(var({x}) + epsilon)": (step, n) => {
    const x = step.input("x").row(n);
    const m = meanOf(x);
    const variance = named("var(x)", mean(x.map((one) => square(minus(one, m)))));
    return { is: divide(constant(1, "1"), sqrt(sum([variance, EPSILON]))) };
  },

  "x_hat = ({x} - mean(x)) * {inv_std}": (step, n, j) => {
    const x = step.input("x").row(n);
    return { is: times(minus(x[j]!, meanOf(x)), step.input("inv_std").at(n, 0)) };
  },

  "y = {gain} * {x_hat} + {bias}": (step, n, j) => ({
    is: sum([times(step.input("gain").at(0, j), step.input("x_hat").at(n, j)), step.input("bias").at(0, j)]),
  }),

  "d_gain += sum over n of {d_y}[n] * {x_hat}[n]": (step, _, j) => ({
    is: dot(step.input("d_y").col(j), step.input("x_hat").col(j)),
  }),

  "d_x = {inv_std} * (d_xhat - mean(d_xhat) - {x_hat} * mean(d_xhat * x_hat)), where d_xhat = {d_y} * {gain}": (
    step,
    n,
    j,
  ) => {
    const [x_hat, d_y, gain] = [step.input("x_hat").row(n), step.input("d_y").row(n), step.input("gain").row(0)];
    const d_xhat = d_y.map((d, i) => times(d, gain[i]!));
    const viaMean = named("mean(d_xhat)", mean(d_xhat));
    const viaVariance = named("mean(d_xhat × x_hat)", mean(d_y.map((d, i) => times(d, gain[i]!, x_hat[i]!))));
    const corrected = minus(minus(d_xhat[j]!, viaMean), times(x_hat[j]!, viaVariance));
    return { is: times(step.input("inv_std").at(n, 0), corrected) };
  },
};

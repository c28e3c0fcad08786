// src/layers/linear.cpp
import { sum } from "./expression";
import { dot, type Rules } from "./rule";

export const LINEAR_RULES: Rules = {
  "y = {x} {weight}^T + {bias}": (step, n, k) => ({
    is: sum([dot(step.input("x").row(n), step.input("weight").row(k)), step.input("bias").at(0, k)]),
  }),

  // Layer norm has the same rule for its bias.
  "d_bias += sum over n of {d_y}[n]": (step, _, k) => ({ is: sum(step.input("d_y").col(k)) }),

  "d_weight += {d_y}^T {x}": (step, k, i) => ({ is: dot(step.input("d_y").col(k), step.input("x").col(i)) }),

  "d_x = {d_y} {weight}": (step, n, i) => {
    const d_y = step.input("d_y");
    return { is: dot(d_y.row(n), step.input("weight").col(i), d_y.tokensLeftOut) };
  },
};

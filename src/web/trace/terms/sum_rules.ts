// Sums of two matrices (src/layers/add_and_norm.cpp, src/model/transformer.cpp), and matrices that are parts of another
// one (src/layers/attention.cpp).
import { sum } from "./expression";
import type { Rule, Rules } from "./rule";

const sumOf =
  (a: string, b: string): Rule =>
  (step, row, col) => ({ is: sum([step.input(a).at(row, col), step.input(b).at(row, col)]) });

/// Part `part` of the columns of an input.
const partOf =
  (name: string, part: number): Rule =>
  (step, row, col) => {
    const from = part * step.output.cols + col;
    return { is: step.input(name).at(row, from), notes: [[`A copy of column ${from} of ${name}.`]] };
  };

/// Inputs side by side.
const sideBySide =
  (...names: string[]): Rule =>
  (step, row, col) => {
    const { cols } = step.input(names[0]!);
    const name = names[Math.floor(col / cols)]!;
    return { is: step.input(name).at(row, col % cols), notes: [[`A copy of column ${col % cols} of ${name}.`]] };
  };

export const SUM_RULES: Rules = {
  "sum = {x} + {sublayer}": sumOf("x", "sublayer"),
  "d_x = {d_sum} + {d_x_via_sublayer}": sumOf("d_sum", "d_x_via_sublayer"),
  "d_memory += {d_memory of this layer}": (step, row, col) => ({
    is: step.input("d_memory of this layer").at(row, col),
  }),

  "q = the first third of {query_key_value}": partOf("query_key_value", 0),
  "k = the second third of {query_key_value}": partOf("query_key_value", 1),
  "v = the last third of {query_key_value}": partOf("query_key_value", 2),
  "k = the left half of {key_value}": partOf("key_value", 0),
  "v = the right half of {key_value}": partOf("key_value", 1),
  "d_query_key_value = {d_q}, {d_k} and {d_v} side by side": sideBySide("d_q", "d_k", "d_v"),
  "d_key_value = {d_k} and {d_v} side by side": sideBySide("d_k", "d_v"),
};

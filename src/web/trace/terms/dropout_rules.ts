// src/layers/dropout.cpp
import { constant, divide, timesVisible } from "./expression";
import type { Draft, Rules } from "./rule";
import type { StepReader } from "./step_reader";

/// The rate of a dropout layer, which follows from its part: "encoder.layers.0.self_attn.dropout".
function rateOf({ model, step }: StepReader): number {
  const { embedding, attention, activation, residual } = model.dropout_rates;
  const owner = step.part.split(".").at(-2) ?? "";
  if (owner === "embed_tokens") return embedding;
  if (owner === "residual") return residual;
  return owner === "feed_forward" ? activation : attention;
}

function dropped(step: StepReader, name: string, row: number, col: number): Draft {
  const rate = rateOf(step);
  const kept = step.input("kept").at(row, col);
  const is = divide(timesVisible(step.input(name).at(row, col), kept), constant(1 - rate, `(1 − ${rate})`));
  return kept.value === 0 ? { is, notes: [["Dropout has dropped this number: kept is ", kept, "."]] } : { is };
}

export const DROPOUT_RULES: Rules = {
  "y = {x} * {kept} / (1 - rate)": (step, row, col) => dropped(step, "x", row, col),
  "d_x = {d_y} * {kept} / (1 - rate)": (step, row, col) => dropped(step, "d_y", row, col),
};

// src/layers/softmax.cpp
import { kindOfPart } from "../names";
import { blockedBy, reasonText } from "../reasons";
import { constant, divide, exp, minus, named, sum, timesVisible, zero, type CellNumber } from "./expression";
import { type Draft, type Rules } from "./rule";
import type { Operand, StepReader } from "./step_reader";

const LARGEST_SAFE = 80; // exp(88.8) is too large for a float

/// exp of each of these cells, and their sum as the denominator. Large scores need the form that the program always uses,
/// without the largest of them; it gives the same result.
export function softmaxOf(scores: CellNumber[], place: number, missing = 0): Draft {
  const all = scores.map(({ value }) => value);
  const largest = Math.max(...all);
  if (Math.max(...all.map(Math.abs)) < LARGEST_SAFE) {
    return { is: divide(exp(scores[place]!), sum(scores.map(exp), { always: place, missing })) };
  }
  const m = named("the largest of the row", scores[all.indexOf(largest)] ?? constant(largest, String(largest)));
  const shifted = scores.map((score) => exp(minus(score, m)));
  const notes = [["Subtracting the largest number first does not change the result, but keeps exp finite."]];
  return { is: divide(shifted[place]!, sum(shifted, { always: place, missing })), notes };
}

/// The row of a mask for a row of the scores. A mask has a row for each query of each sentence, or shares them.
function maskRow(step: StepReader, mask: Operand, row: number): number {
  const { sentences, json } = step.trace;
  const queries = step.output.rows / sentences / json.model.heads;
  const [sentence, query] = [Math.floor(row / queries / json.model.heads), row % queries];
  if (mask.rows === sentences * queries) return sentence * queries + query;
  if (kindOfPart(step.trace, step.step.part) === "decoder self" && mask.rows === queries) return query;
  return mask.rows === sentences ? sentence : 0;
}

/// "this key is padding", if the trace says why.
function reasonFor(step: StepReader, row: number, key: number): string {
  const { sentences, json } = step.trace;
  const kind = kindOfPart(step.trace, step.step.part);
  if (!kind) return "";
  const queries = step.output.rows / sentences / json.model.heads;
  const sentence = Math.floor(row / queries / json.model.heads);
  return reasonText(blockedBy(step.trace, kind, sentence, row % queries, key));
}

function maskedSoftmax(step: StepReader, row: number, key: number): Draft {
  const [scores, mask] = [step.input("scores"), step.input("mask")];
  const itsRow = maskRow(step, mask, row);
  const also = [{ tensor: mask.tensor, row: itsRow, col: 0, rows: 1, cols: mask.cols }];
  const cell = mask.at(itsRow, key);
  if (cell.value !== 0) {
    const reason = reasonFor(step, row, key);
    const why = reason ? `, because ${reason}` : "";
    return { is: zero, notes: [["The mask is ", cell, ` here${why}: the weight is exactly 0.`]], also };
  }
  const visible = scores.row(row).filter((_, s) => mask.number(itsRow, s) === 0);
  const draft = softmaxOf(
    visible,
    visible.findIndex((score) => score.cell.col === key),
  );
  const blocked = scores.cols - visible.length;
  const notes = [...(draft.notes ?? [])];
  if (blocked) notes.push([`${blocked} of ${scores.cols} keys are blocked, so they are not in the sum.`]);
  return { ...draft, notes, also };
}

export const SOFTMAX_RULES: Rules = {
  "weights = softmax of each row of {scores}, 0 where {mask} is 1": maskedSoftmax,

  // The program skips keys with a weight of 0: their d_weights may be NaN.
  "d_scores = {weights} * ({d_weights} - sum of weights * d_weights over the row)": (step, row, key) => {
    const [weights, d_weights] = [step.input("weights"), step.input("d_weights")];
    const terms = weights.row(row).map((weight, s) => timesVisible(weight, d_weights.at(row, s)));
    const weighted = named("sum of weights × d_weights over the row", sum(terms, { always: key }));
    const is = timesVisible(weights.at(row, key), minus(d_weights.at(row, key), weighted));
    const blocked = weights.number(row, key) === 0;
    return blocked ? { is, notes: [["The weight is 0, so the score has no effect on the loss."]] } : { is };
  },
};

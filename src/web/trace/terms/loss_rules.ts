// src/layers/cross_entropy.cpp
import { formatNumber, range } from "../../base/numbers";
import { constant, log, minus, named, negative, sum, times, zero, type Expression } from "./expression";
import type { Draft, Rules, Sentence } from "./rule";
import { softmaxOf } from "./softmax_rules";
import type { Operand, StepReader, TokenAt } from "./step_reader";

/// The size of the whole vocabulary.
const vocabularyOf = (p: Operand): number => p.cols + p.tokensLeftOut;

/// q_v: label smoothing spreads a part evenly over the vocabulary, and gives the rest to the expected token.
function q(step: StepReader, p: Operand, isExpected: boolean): Expression {
  const smoothing = step.model.label_smoothing;
  if (smoothing === 0) return isExpected ? constant(1, "1") : constant(0, "0");
  const uniform = constant(smoothing / vocabularyOf(p), `${smoothing} / ${vocabularyOf(p)}`);
  return isExpected ? sum([constant(1 - smoothing, `1 − ${smoothing}`), uniform]) : uniform;
}

function qNamed(step: StepReader, p: Operand, isExpected: boolean): Expression {
  const its = q(step, p, isExpected);
  return step.model.label_smoothing === 0 ? its : named(isExpected ? "q of the expected token" : "q", its);
}

const notCounted = ({ token, cell }: TokenAt): Draft => ({
  is: zero,
  notes: [[`Padding is expected here (“${token}”, id `, cell, "), and the loss does not count it."]],
});

function expectation(step: StepReader, p: Operand, { token, cell }: TokenAt): Sentence {
  const smoothing = step.model.label_smoothing;
  const spread = smoothing
    ? ` Label smoothing spreads ${formatNumber(smoothing)} evenly over all ${vocabularyOf(p)} tokens.`
    : " There is no label smoothing, so its q is 1, and that of all other tokens is 0.";
  return [`“${token}” (id `, cell, `) is expected.${spread}`];
}

function loss(step: StepReader, n: number): Draft {
  const p = step.input("p");
  const expected = step.tokenAt("expected", n);
  if (expected.isPad) return notCounted(expected);
  const place = p.placeOfId(expected.id);
  const notes = [expectation(step, p, expected)];
  if (step.model.label_smoothing === 0) return { is: negative(log(p.at(n, place))), notes };
  const [expectedQ, otherQ] = [qNamed(step, p, true), qNamed(step, p, false)];
  const terms = range(p.cols).map((v) => times(v === place ? expectedQ : otherQ, log(p.at(n, v))));
  const isTiny = terms.some((_, v) => p.number(n, v) === 0);
  if (isTiny) notes.push(["Some p are too small for a float and round to 0. The program takes log p from the logits."]);
  return { is: negative(sum(terms, { always: place, missing: p.tokensLeftOut })), notes };
}

export const LOSS_RULES: Rules = {
  "p = softmax of each row of {logits}": (step, n, v) => {
    const logits = step.input("logits");
    return softmaxOf(logits.row(n), v, logits.tokensLeftOut);
  },

  "losses = - sum over v of q_v log {p}_v, q from {expected}; 0 at padding": (step, n) => loss(step, n),

  "d_logits = ({p} - q) * {d_loss}, q from {expected}; 0 at padding": (step, n, v) => {
    const p = step.input("p");
    const expected = step.tokenAt("expected", n);
    if (expected.isPad) return notCounted(expected);
    const isExpected = v === p.placeOfId(expected.id);
    const is = times(minus(p.at(n, v), qNamed(step, p, isExpected)), step.input("d_loss").at(0, 0));
    return { is, notes: [expectation(step, p, expected)] };
  },
};

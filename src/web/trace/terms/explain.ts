// How one number of a step's output was computed: from which cells, and with which formula.
import type { Trace } from "../trace";
import type { StepJson } from "../types";
import { ACTIVATION_RULES } from "./activation_rules";
import { ATTENTION_RULES } from "./attention_rules";
import { boxOfCell, boxesOf, type Box } from "./boxes";
import { DROPOUT_RULES } from "./dropout_rules";
import { EMBEDDING_RULES } from "./embedding_rules";
import { sum, valueOf, type Expression } from "./expression";
import { linesOf, sentenceOf, type Line } from "./formula";
import { LAYER_NORM_RULES } from "./layer_norm_rules";
import { LINEAR_RULES } from "./linear_rules";
import { LOSS_RULES } from "./loss_rules";
import type { Draft, Rule, Rules } from "./rule";
import { SOFTMAX_RULES } from "./softmax_rules";
import { StepReader } from "./step_reader";
import { SUM_RULES } from "./sum_rules";

const RULES: Rules = {
  ...LINEAR_RULES,
  ...ATTENTION_RULES,
  ...SOFTMAX_RULES,
  ...LAYER_NORM_RULES,
  ...ACTIVATION_RULES,
  ...DROPOUT_RULES,
  ...EMBEDDING_RULES,
  ...LOSS_RULES,
  ...SUM_RULES,
};

/// The rule for an equation without axes, as steps have it: "scores = {products} / sqrt(d_head)".
export const ruleFor = (equation: string): Rule | undefined => RULES[equation.replaceAll(/\s+/g, " ").trim()];

export interface Explanation {
  recorded: number; // what the program computed
  value: number; // the same formula in double precision; NaN if the trace does not have all its numbers
  expression: Expression;
  lines: Line[]; // the formula, and one line for each intermediate result
  notes: Line[]; // what is special about this number
  boxes: Box[]; // the cells that it was computed from
}

/// Undefined if no rule explains the equation of the step.
export function explainNumber(trace: Trace, step: StepJson, row: number, col: number): Explanation | undefined {
  const rule = ruleFor(step.equation);
  if (!rule) return undefined;
  const reader = new StepReader(trace, step);
  const draft = withOldValue(reader, rule(reader, row, col), row, col);
  const output = trace.matrix(step.output);
  const recorded = output.at(row, col);
  const notes = draft.notes ?? [];
  const inNotes = notes.flat().filter((part) => typeof part !== "string");
  return {
    recorded,
    value: valueOf(draft.is),
    expression: draft.is,
    lines: linesOf(recorded, output.digits, draft.is),
    notes: notes.map(sentenceOf),
    boxes: [boxOfCell({ tensor: step.output, row, col }), ...boxesOf([draft.is, ...inNotes]), ...(draft.also ?? [])],
  };
}

/// "+=" adds to the old value.
function withOldValue(reader: StepReader, draft: Draft, row: number, col: number): Draft {
  const old = reader.soFar?.at(row, col);
  if (!old) return draft;
  const isZero = draft.is.kind === "constant" && draft.is.value === 0;
  return { ...draft, is: isZero ? old : sum([old, draft.is]) };
}

// A rule says how one cell of a step's output is computed.
import type { Box } from "./boxes";
import { sum, times, type CellNumber, type Expression } from "./expression";
import type { StepReader } from "./step_reader";

/// Text and numbers.
export type Sentence = (string | Expression)[];

export interface Draft {
  is: Expression;
  notes?: Sentence[]; // what is special about this cell
  also?: Box[]; // read, but not in the formula
}

export type Rule = (step: StepReader, row: number, col: number) => Draft;

/// By equation, as the layers record it.
export type Rules = Record<string, Rule>;

export const dot = (a: CellNumber[], b: CellNumber[], missing = 0): Expression =>
  sum(
    a.map((one, i) => times(one, b[i]!)),
    { missing },
  );

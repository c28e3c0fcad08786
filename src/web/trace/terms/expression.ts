// A formula with the numbers of a step in it. The page prints an expression and outlines the cells in it; a test computes
// it. So what the page writes is what the test has checked.

/// A cell of a tensor of the trace.
export interface CellRef {
  tensor: number;
  row: number;
  col: number;
}

export const sameRef = (a: CellRef | null, b: CellRef | null): boolean =>
  a?.tensor === b?.tensor && a?.row === b?.row && a?.col === b?.col;

export interface CellNumber {
  kind: "cell";
  cell: CellRef;
  value: number;
  digits: number; // how many digits of it mean something
}

interface Constant {
  kind: "constant";
  value: number;
  text: string;
}

/// A long sum is printed without the terms in its middle, but with the term `always`.
export interface Sum {
  kind: "sum";
  terms: Expression[];
  always: number; // -1: none
  missing: number; // terms that the trace does not have, because it shows only some tokens of a large vocabulary
}

/// `skipsZero`: a factor of 0 makes the product 0 even if the other one is NaN: the program does not read it.
interface Product {
  kind: "product";
  factors: Expression[];
  skipsZero: boolean;
}

interface Call {
  kind: "call";
  before: string; // "exp("
  after: string; // ")"
  of: Expression;
  apply: (x: number) => number;
}

/// An intermediate result. The formula has its number, and a line below says how it is computed.
export interface Named {
  kind: "named";
  name: string;
  of: Expression;
  value: number;
}

export type Expression =
  | CellNumber
  | Constant
  | Sum
  | Product
  | Call
  | Named
  | { kind: "difference"; left: Expression; right: Expression }
  | { kind: "quotient"; over: Expression; under: Expression }
  | { kind: "negative"; of: Expression };

export const constant = (value: number, text: string): Constant => ({ kind: "constant", value, text });
export const zero = constant(0, "0");

/// A sum of one term is that term.
export function sum(terms: Expression[], { always = -1, missing = 0 } = {}): Expression {
  if (terms.length === 1 && !missing) return terms[0]!;
  return { kind: "sum", terms, always, missing };
}

export const times = (...factors: Expression[]): Product => ({ kind: "product", factors, skipsZero: false });
export const timesVisible = (...factors: Expression[]): Product => ({ kind: "product", factors, skipsZero: true });
export const minus = (left: Expression, right: Expression): Expression => ({ kind: "difference", left, right });
export const divide = (over: Expression, under: Expression): Expression => ({ kind: "quotient", over, under });
export const negative = (of: Expression): Expression => ({ kind: "negative", of });

export const call = (before: string, of: Expression, after: string, apply: (x: number) => number): Call => ({
  kind: "call",
  before,
  of,
  after,
  apply,
});
export const exp = (of: Expression): Call => call("exp(", of, ")", Math.exp);
export const log = (of: Expression): Call => call("log(", of, ")", Math.log);
export const sqrt = (of: Expression): Call => call("√(", of, ")", Math.sqrt);
export const square = (of: Expression): Call => call("(", of, ")²", (x) => x * x);

/// NaN if terms are missing.
export function valueOf(expression: Expression): number {
  switch (expression.kind) {
    case "cell":
    case "constant":
    case "named":
      return expression.value;
    case "sum":
      return expression.missing ? NaN : expression.terms.reduce((total, term) => total + valueOf(term), 0);
    case "product": {
      const factors = expression.factors.map(valueOf);
      return expression.skipsZero && factors.includes(0) ? 0 : factors.reduce((product, factor) => product * factor);
    }
    case "call":
      return expression.apply(valueOf(expression.of));
    case "difference":
      return valueOf(expression.left) - valueOf(expression.right);
    case "quotient":
      return valueOf(expression.over) / valueOf(expression.under);
    case "negative":
      return -valueOf(expression.of);
  }
}

export const named = (name: string, of: Expression): Named => ({ kind: "named", name, of, value: valueOf(of) });

/// The expressions that an expression consists of.
export function partsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case "cell":
    case "constant":
      return [];
    case "sum":
      return expression.terms;
    case "product":
      return expression.factors;
    case "call":
    case "named":
    case "negative":
      return [expression.of];
    case "difference":
      return [expression.left, expression.right];
    case "quotient":
      return [expression.over, expression.under];
  }
}

// Prints an expression: "0.766 = exp(1.23) / (exp(1.23) + exp(−0.11) + exp(0.42))". Intermediate results get lines of
// their own.
import { formatNumber } from "../../base/numbers";
import type { CellRef, Expression, Named } from "./expression";
import { shownTerms } from "./long_sum";

/// A piece of a printed formula. The page links a number to its cell.
export type Piece =
  | { kind: "text"; text: string }
  | { kind: "number"; text: string; value: number; cell?: CellRef; name?: string }
  | { kind: "gap"; text: string };

export type Line = Piece[];

const MOST_DIGITS = 4;

/// A whole number, such as an id, is printed in full.
export const digitsOf = (value: number, digits = MOST_DIGITS): string =>
  Number.isInteger(value) && Math.abs(value) < 1e9
    ? String(value).replace("-", "−")
    : formatNumber(value, Math.min(digits, MOST_DIGITS));

/// How tightly an expression binds. A part that binds less tightly than its place requires is put in parentheses.
const [SUM, PRODUCT, ATOM] = [1, 2, 3];

const bindingOf = ({ kind }: Expression): number => {
  if (kind === "sum" || kind === "difference" || kind === "negative") return SUM;
  return kind === "product" || kind === "quotient" ? PRODUCT : ATOM;
};

class Printer {
  readonly line: Line = [];
  readonly named: Named[] = [];

  text(text: string): void {
    const last = this.line.at(-1);
    if (last?.kind === "text") last.text += text;
    else this.line.push({ kind: "text", text });
  }

  print(expression: Expression, place = SUM): void {
    if (bindingOf(expression) >= place) return this.#printBare(expression);
    this.text("(");
    this.#printBare(expression);
    this.text(")");
  }

  #printBare(expression: Expression): void {
    switch (expression.kind) {
      case "cell":
        return this.#number(expression.value, digitsOf(expression.value, expression.digits), { cell: expression.cell });
      case "constant":
        return this.text(expression.text);
      case "named": {
        this.named.push(expression);
        return this.#number(expression.value, digitsOf(expression.value), { name: expression.name });
      }
      case "sum":
        return this.#join(shownTerms(expression), " + ", SUM);
      case "product":
        return this.#join(expression.factors, " × ", PRODUCT);
      case "difference":
        this.print(expression.left);
        this.text(" − ");
        return this.print(expression.right, PRODUCT);
      case "quotient":
        this.print(expression.over, PRODUCT);
        this.text(" / ");
        return this.print(expression.under, ATOM);
      case "negative":
        this.text("−");
        return this.print(expression.of, PRODUCT);
      case "call":
        this.text(expression.before);
        this.print(expression.of);
        return this.text(expression.after);
    }
  }

  #join(parts: (Expression | string)[], operator: string, first: number): void {
    parts.forEach((part, i) => {
      if (i > 0) this.text(operator);
      if (typeof part === "string") this.line.push({ kind: "gap", text: part });
      else this.print(part, i === 0 || part.kind === "sum" ? first : PRODUCT);
    });
  }

  /// A negative number is put in parentheses unless it comes first.
  #number(value: number, text: string, of: { cell?: CellRef; name?: string }): void {
    const last = this.line.at(-1);
    const isFirst = !last || (last.kind === "text" && /[(]$|^$|[=,] $/.test(last.text));
    const bracket = text.startsWith("−") && !isFirst;
    if (bracket) this.text("(");
    this.line.push({ kind: "number", text, value, ...of });
    if (bracket) this.text(")");
  }
}

/// The result and the formula, and a line for each intermediate result.
export function linesOf(result: number, digits: number, expression: Expression): Line[] {
  const printer = new Printer();
  printer.line.push({ kind: "number", text: digitsOf(result, digits), value: result });
  if (expression.kind !== "constant") {
    printer.text(" = ");
    printer.print(expression);
  }
  return [printer.line, ...linesOfNamed(printer.named)];
}

/// "0.0123 = mean(x) = (0.5 + … + 0.2) / 64", each once.
function linesOfNamed(all: Named[]): Line[] {
  const lines: Line[] = [];
  const done = new Set<string>();
  for (const { name, of, value } of all) {
    // grows in the loop: an intermediate result may contain others
    if (done.has(name)) continue;
    done.add(name);
    const printer = new Printer();
    printer.text("where ");
    printer.line.push({ kind: "number", text: digitsOf(value), value, name });
    printer.text(` = ${name} = `);
    printer.print(of);
    all.push(...printer.named);
    lines.push(printer.line);
  }
  return lines;
}

/// A sentence with numbers in it.
export function sentenceOf(parts: (string | Expression)[]): Line {
  const printer = new Printer();
  for (const part of parts) {
    if (typeof part === "string") printer.text(part);
    else printer.print(part);
  }
  return printer.line;
}

export const plainText = (line: Line): string => line.map(({ text }) => text).join("");

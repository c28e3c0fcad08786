// Which terms of a sum are printed. A long sum shows its first terms, its last one, and how many are left out.
import { partsOf, type Expression, type Sum } from "./expression";

const MOST_NUMBERS = 12; // in a sum that is printed in full
const FIRST_TERMS = 3;

const numbersIn = (expression: Expression): number => {
  if (expression.kind === "cell" || expression.kind === "constant" || expression.kind === "named") return 1;
  return partsOf(expression).reduce((count, part) => count + numbersIn(part), 0);
};

/// Terms, and the text of the gaps between them.
export function shownTerms({ terms, always, missing }: Sum): (Expression | string)[] {
  const perTerm = terms.length ? numbersIn(terms[0]!) : 0;
  const isLong = terms.length > FIRST_TERMS + 2 && terms.length * perTerm > MOST_NUMBERS;
  const shown: (Expression | string)[] = [];
  let left = 0;
  const endGap = () => {
    if (left > 0) shown.push(`… ${left} more …`);
    left = 0;
  };
  terms.forEach((term, i) => {
    if (isLong && i >= FIRST_TERMS && i !== always && i !== terms.length - 1) {
      left += 1;
      return;
    }
    endGap();
    shown.push(term);
  });
  if (missing) shown.push(`… ${missing} tokens that this page does not show …`);
  return shown;
}

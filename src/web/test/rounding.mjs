// How far the program's single-precision result may be from an expression computed in double precision: the standard
// bounds for floating-point arithmetic (Higham 2002, chapters 2 and 3) with unit roundoff u = 2^-24, carried through the
// expression. They hold for any order of summation, and a fused multiply-add only makes the error smaller. The numbers
// of the trace are the program's floats, so cells have no error.
import { partsOf, valueOf } from "../trace/terms/expression.ts";

const U = 2 ** -24;
const SMALLEST = 2 ** -126; // the program may flush smaller numbers to 0

/// The relative error of the program's exp, erfc, sqrt and so on: at most 4 u.
const FUNCTION = 4 * U;
/// The program's loss is log sum exp(logit) - logit, of which neither exceeds 32 in the traces of the test.
const LOG = 64 * U;

const known = new WeakMap(); // intermediate results occur in many terms
let largest = 0; // of the numbers in the softmax whose error is being computed

const isExp = ({ kind, before }) => kind === "call" && before === "exp(";

/// The largest error of an expression, before its result is rounded.
function error(expression) {
  switch (expression.kind) {
    case "cell":
      return 0;
    case "constant":
      return 2 * U * Math.abs(expression.value);
    case "sum": {
      const size = expression.terms.reduce((total, term) => total + Math.abs(valueOf(term)), 0);
      return expression.terms.reduce((total, term) => total + error(term), expression.terms.length * U * size);
    }
    case "product":
      return productError(expression.factors);
    case "difference": {
      const { left, right } = expression;
      return error(left) + error(right) + U * Math.abs(valueOf(expression));
    }
    case "quotient": {
      if (isExp(expression.over))
        largest = Math.max(
          ...[expression.under, ...partsOf(expression.under)].filter(isExp).map(({ of }) => valueOf(of)),
        );
      const [over, under] = [valueOf(expression.over), Math.abs(valueOf(expression.under))];
      const underError = error(expression.under);
      const size = Math.abs(over / under);
      // The program often multiplies by the rounded reciprocal, which rounds once more.
      return (error(expression.over) + size * underError) / (under - underError) + 2 * U * size;
    }
    case "negative":
      return error(expression.of);
    case "named":
      if (!known.has(expression)) known.set(expression, error(expression.of));
      return known.get(expression);
    case "call":
      return callError(expression);
  }
}

function productError(factors) {
  let [size, total] = [1, 0];
  factors.forEach((factor, i) => {
    const [value, its] = [Math.abs(valueOf(factor)), error(factor)];
    total = total * value + size * its + total * its;
    size *= value;
    if (i > 0) total += U * size;
  });
  return total;
}

function callError({ before, of, apply }) {
  const [x, y] = [valueOf(of), apply(valueOf(of))];
  const moved = error(of) + 2 * U * Math.abs(x);
  const change = Math.max(Math.abs(apply(x + moved) - y), Math.abs(apply(x - moved) - y));
  // A softmax computes exp(x - largest). The rounding of the difference is a relative error of the result.
  const difference = before === "exp(" ? U * Math.abs(x - largest) * y : before === "log(" ? LOG : 0;
  return change + FUNCTION * Math.abs(y) + difference;
}

/// Infinity where double precision gives no finite number.
export function tolerance(expression) {
  const value = valueOf(expression);
  if (!Number.isFinite(value)) return Infinity;
  return error(expression) + U * Math.abs(value) + SMALLEST;
}

// The statements that computed a step's output.
import { range } from "../../base/numbers";
import type { Trace } from "../trace";
import type { StepJson } from "../types";
import type { CellRef } from "./expression";
import { StepReader } from "./step_reader";

/// What identifies the statements of an equation.
const STATEMENTS: Record<string, string[]> = {
  "y = {x} {weight}^T + {bias}": ["multiply_transposed_right(x, weight.value(), bias.value(), y_)"],
  "d_weight += {d_y}^T {x}": ["multiply_transposed_left(d_y, x, d_weight"],
  "d_x = {d_y} {weight}": ["multiply(d_y, weight.value(), d_x_"],

  "products = {q} {k}^T of each head": ["multiply_transposed_right(head_block(q, i)"],
  "scores = {products} / sqrt(d_head)": ["weights_.eigen() *= 1 / std::sqrt("],
  "weights = softmax of each row of {scores}, 0 where {mask} is 1": [
    "block(mask.blocked.row(",
    "sum = exponentials(row",
    "scale(row, 1 / sum)",
  ],
  "context = {weights} {v} of each head": ["multiply_visible(weight_block(used.view(), i)"],
  "d_v = {weights}^T {d_context} of each head": ["multiply_transposed_left(weight_block(used.view(), i)"],
  "d_weights = {d_context} {v}^T of each head": ["multiply_transposed_right(d_c, head_block(v_, i)"],
  "d_scores = {weights} * ({d_weights} - sum of weights * d_weights over the row)": [
    "weighted_sum = dot(w, d)",
    "d[j] = w[j] * (d[j] - weighted_sum)",
  ],
  "d_products = {d_scores} / sqrt(d_head)": ["d_scores.eigen() *= 1 / std::sqrt("],
  "d_q = {d_products} {k} of each head": ["multiply_visible(d_p, head_block(k_, i)"],
  "d_k = {d_products}^T {q} of each head": ["multiply_transposed_left(d_p, head_block(q_, i)"],

  "inv_std = 1 / sqrt(var({x}) + epsilon)": ["var = mean_square(x_hat)", "inv_std = 1 / std::sqrt("],
  "x_hat = ({x} - mean(x)) * {inv_std}": ["x_hat[j] = x(n, j) - mean_x", "scale(x_hat, inv_std)"],
  "y = {gain} * {x_hat} + {bias}": ["y[j] = g[j] * x_hat[j] + b[j]"],
  "d_gain += sum over n of {d_y}[n] * {x_hat}[n]": ["d_gain[j] += dy[j] * x_hat[j]"],
  "d_x = {inv_std} * (d_xhat - mean(d_xhat) - {x_hat} * mean(d_xhat * x_hat)), where d_xhat = {d_y} * {gain}": [
    "d_xhat[j] = dy[j] * g[j]",
    "via_mean = mean(",
    "via_variance = mean_product(",
    "d_x[j] = inv_std_(n, 0) * (",
  ],

  "y = {x} * {kept} / (1 - rate)": ["keep_rows(x, y"],
  "d_x = {d_y} * {kept} / (1 - rate)": ["keep_rows(d_y, d_x"],
  "embedded = {scale} * {table}[{id}] + {position}[t], 0 at padding": [
    "x[j] = scale_ * row[j] + position[j]",
    "std::ranges::fill(x, Scalar{0})",
  ],
  "d_table += {scale} * {d_embedded}[n] in row {id}[n], for every token n but padding": [
    "d_table.row(ids(b, t)).eigen() +=",
  ],

  "p = softmax of each row of {logits}": ["sum_exp = exponentials(logits", "scale(logits, 1 / sum_exp)"],
  "losses = - sum over v of q_v log {p}_v, q from {expected}; 0 at padding": [
    "return {};",
    "cross_entropy = log_sum_exp - expected_logit",
    "mean_over_vocabulary = log_sum_exp - mean_logit",
    "return (1 - smoothing) * cross_entropy",
  ],
  "d_logits = ({p} - q) * {d_loss}, q from {expected}; 0 at padding": [
    "std::ranges::fill(row, Scalar{0})",
    "row[v] = d_loss * (row[v] - uniform_q)",
    "row[token] -= d_loss *",
  ],

  "sum = {x} + {sublayer}": ["sum.eigen() += x.eigen()"],
  "d_x = {d_sum} + {d_x_via_sublayer}": ["d_x.eigen() += d_sum_->eigen()"],
  "d_memory += {d_memory of this layer}": ["d_memory_.eigen() += d_memory.eigen()"],
  "q = the first third of {query_key_value}": ["q = query_key_value.view()"],
  "k = the second third of {query_key_value}": ["k = query_key_value.view()"],
  "v = the last third of {query_key_value}": ["v = query_key_value.view()"],
  "k = the left half of {key_value}": ["k = key_value.view()"],
  "v = the right half of {key_value}": ["v = key_value.view()"],
  "d_query_key_value = {d_q}, {d_k} and {d_v} side by side": ["attention.backward(pass, d_context"],
  "d_key_value = {d_k} and {d_v} side by side": ["attention.backward(pass, d_context"],
};

/// By activation.
const ACTIVATED: Record<string, string> = {
  relu: "y = std::max(from",
  gelu: "y = from * normal_cdf(",
  swish: "y = from * sigmoid(",
};
const D_EXPANDED: Record<string, string> = {
  relu: "d = from > 0 ?",
  gelu: "d *= normal_cdf(from) +",
  swish: "d *= sigmoid(from) *",
};

/// Linear maps and layer norms share an equation.
const D_BIAS: Record<string, string> = {
  "linear.cpp": "add(d_y.row(n), d_bias)",
  "layer_norm.cpp": "d_bias[j] += dy[j]",
};

/// A piece of each statement. (Exported for a test.)
export function piecesOfStatements(trace: Trace, { equation, code }: StepJson): string[] {
  const { activation } = trace.json.model;
  if (equation.startsWith("activated = ")) return [ACTIVATED[activation]!];
  if (equation.startsWith("d_expanded = ")) return [D_EXPANDED[activation]!];
  if (equation.startsWith("d_bias += ")) return [D_BIAS[code.file.split("/").at(-1)!]!];
  return STATEMENTS[equation] ?? [];
}

/// Statements that run for padding only, and for the expected token only.
const FOR_PADDING = ["std::ranges::fill(", "return {};"];
const FOR_EXPECTED = ["row[token] -="];
/// The ids that decide it, by output.
const IDS: Record<string, "id" | "expected"> = { embedded: "id", losses: "expected", d_logits: "expected" };

/// The statements that computed one number of a step's output: of two branches, the one that ran.
export function statementsOfCell(trace: Trace, step: StepJson, { row, col }: CellRef): Statement[] {
  const all = statementsOf(trace, step);
  const ids = IDS[trace.tensor(step.output).name];
  if (!ids || !step.inputs.some(({ name }) => name === ids)) return all;
  const reader = new StepReader(trace, step);
  const { id, isPad } = reader.tokenAt(ids, row);
  const has = ({ text }: Statement, pieces: string[]) => pieces.some((piece) => text.includes(piece));
  if (isPad) return all.filter((one) => has(one, FOR_PADDING));
  const isExpected = reader.output.idAt(col) === id;
  return all.filter((one) => !has(one, FOR_PADDING) && (isExpected || !has(one, FOR_EXPECTED)));
}

interface Statement {
  lines: [first: number, last: number];
  text: string; // in one line, without comments
}

/// In the order of the code. A statement is among the lines of the step or, if they call a function that has it, anywhere
/// in the file. Empty if the trace does not have the source.
export function statementsOf(trace: Trace, step: StepJson): Statement[] {
  const all = trace.json.sources[step.code.file]?.split("\n") ?? [];
  const places = (text: string, [first, last]: [number, number]) =>
    range(last - first + 1)
      .map((i) => first + i)
      .filter((line) => codeOf(all[line - 1] ?? "").includes(text));
  const found = piecesOfStatements(trace, step).flatMap((text) => {
    const near = places(text, step.code.lines);
    return near.length ? near : places(text, [1, all.length]);
  });
  return found.sort((a, b) => a - b).map((line) => statementAt(all, line));
}

const codeOf = (line: string): string => line.replace(/\s*\/\/.*$/, "").trim();

/// The statement that begins in a line, and ends in the first line with a semicolon at its end.
function statementAt(all: string[], first: number): Statement {
  let last = first;
  while (last < all.length && !codeOf(all[last - 1]!).endsWith(";")) ++last;
  const text = all
    .slice(first - 1, last)
    .map(codeOf)
    .join(" ");
  return { lines: [first, last], text };
}

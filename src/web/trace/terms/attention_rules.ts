// src/layers/scaled_dot_product_attention.cpp. Head h of sentence b has the columns h * d_head, ... of the matrices of
// tokens, and the rows (b * H + h) * T, ... of the matrices [B*H*T, S].
import { range } from "../../base/numbers";
import { kindOfPart } from "../names";
import { blockedBy, blockedLaterIn, blockedText } from "../reasons";
import { constant, divide, sum, times, timesVisible, type CellNumber } from "./expression";
import { dot, type Draft, type Rules } from "./rule";
import type { Operand, StepReader } from "./step_reader";

/// A row of a matrix [B*H*T, S]: its head's block, and the rows of its query and its keys in the matrices of tokens.
interface HeadRow {
  firstCol: number; // of the head
  query: number;
  firstKey: number;
}

const headWidth = ({ model }: StepReader): number => model.d_model / model.heads;

function headRow(step: StepReader, scores: Operand, row: number): HeadRow {
  const { heads } = step.model;
  const T = scores.rows / step.trace.sentences / heads;
  const [b, head] = [Math.floor(row / (heads * T)), Math.floor(row / T) % heads];
  return { firstCol: head * headWidth(step), query: b * T + (row % T), firstKey: b * scores.cols };
}

/// The cells of [B*H*T, S] for all keys of query n, in the head that column j belongs to.
function overKeys(step: StepReader, scores: Operand, n: number, j: number): { cells: CellNumber[]; firstKey: number } {
  const T = scores.rows / step.trace.sentences / step.model.heads;
  const [b, head] = [Math.floor(n / T), Math.floor(j / headWidth(step))];
  return { cells: scores.row((b * step.model.heads + head) * T + (n % T)), firstKey: b * scores.cols };
}

/// The same for all queries of key m.
function overQueries(
  step: StepReader,
  scores: Operand,
  m: number,
  j: number,
): { cells: CellNumber[]; firstQuery: number } {
  const T = scores.rows / step.trace.sentences / step.model.heads;
  const [b, head] = [Math.floor(m / scores.cols), Math.floor(j / headWidth(step))];
  const first = (b * step.model.heads + head) * T;
  return { cells: scores.col(m % scores.cols, first, T), firstQuery: b * T };
}

/// The products and scores do not know the mask yet.
function blockedLater(step: StepReader, row: number, key: number): Pick<Draft, "notes"> {
  const { trace, output } = step;
  const kind = kindOfPart(trace, step.step.part);
  const later = blockedLaterIn(trace, trace.tensor(output.tensor));
  if (!kind || later === undefined) return {};
  const queries = output.rows / trace.sentences / step.model.heads;
  const sentence = Math.floor(row / queries / step.model.heads);
  const reason = blockedText(blockedBy(trace, kind, sentence, row % queries, key), later);
  return reason ? { notes: [[`It ${reason}.`]] } : {};
}

/// One number of a query times one of a key, summed over the columns of a head.
function queryTimesKey(step: StepReader, queries: Operand, keys: Operand, row: number, key: number) {
  const { firstCol, query, firstKey } = headRow(step, step.output, row);
  const width = headWidth(step);
  return { is: dot(queries.row(query, firstCol, width), keys.row(firstKey + key, firstCol, width)) };
}

/// The program skips keys with a weight of 0, whose values may be NaN.
function keysWeighted(step: StepReader, weights: Operand, values: Operand, n: number, j: number) {
  const { cells, firstKey } = overKeys(step, weights, n, j);
  return { is: sum(cells.map((weight, s) => timesVisible(weight, values.at(firstKey + s, j)))) };
}

function queriesWeighted(step: StepReader, weights: Operand, values: Operand, m: number, j: number) {
  const { cells, firstQuery } = overQueries(step, weights, m, j);
  return { is: sum(range(cells.length).map((t) => times(cells[t]!, values.at(firstQuery + t, j)))) };
}

function scaled(step: StepReader, name: string, row: number, col: number) {
  const width = headWidth(step);
  return { is: divide(step.input(name).at(row, col), constant(Math.sqrt(width), `√${width}`)) };
}

export const ATTENTION_RULES: Rules = {
  "products = {q} {k}^T of each head": (step, row, key) => ({
    ...queryTimesKey(step, step.input("q"), step.input("k"), row, key),
    ...blockedLater(step, row, key),
  }),
  "scores = {products} / sqrt(d_head)": (step, row, key) => ({
    ...scaled(step, "products", row, key),
    ...blockedLater(step, row, key),
  }),
  "context = {weights} {v} of each head": (step, n, j) =>
    keysWeighted(step, step.input("weights"), step.input("v"), n, j),

  "d_v = {weights}^T {d_context} of each head": (step, m, j) =>
    queriesWeighted(step, step.input("weights"), step.input("d_context"), m, j),
  "d_weights = {d_context} {v}^T of each head": (step, row, key) =>
    queryTimesKey(step, step.input("d_context"), step.input("v"), row, key),
  "d_products = {d_scores} / sqrt(d_head)": (step, row, key) => scaled(step, "d_scores", row, key),
  "d_q = {d_products} {k} of each head": (step, n, j) =>
    keysWeighted(step, step.input("d_products"), step.input("k"), n, j),
  "d_k = {d_products}^T {q} of each head": (step, m, j) =>
    queriesWeighted(step, step.input("d_products"), step.input("q"), m, j),
};

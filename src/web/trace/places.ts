// Where single cells of a tensor are: "sentence 0 · head 1 · query “der” (position 2) · key “the” (position 0)".
import { axisTerms, batchAxis, plainAxis, predictionAxis, sideOfTerm, tokenAxis } from "./axes";
import { range } from "../base/numbers";
import type { Trace } from "./trace";

/// The place of a cell, in the tensor's own rows and columns.
export function placeOfCell(trace: Trace, tensor: number, row: number, col: number): string {
  const json = trace.tensor(tensor);
  const [rowTerm, colTerm] = axisTerms(trace, json);
  if (/^B\*H\*/.test(rowTerm)) return placeInHead(trace, tensor, row, col);
  const rows = /^B\*[ST]$/.test(rowTerm) ? rowsOfTokens(trace, tensor) : plainAxis(trace, rowTerm, json, true);
  const isIdOfSentence = rowTerm === "B" && /^[ST]$/.test(colTerm);
  const cols = isIdOfSentence
    ? tokenAxis(sideOfTerm(trace, colTerm, json.name), row)
    : plainAxis(trace, colTerm, json, false);
  return [rows.long(row), cols.long(col)].filter((text) => text !== "").join(" · ");
}

function rowsOfTokens(trace: Trace, tensor: number) {
  const json = trace.tensor(tensor);
  const [rowTerm, colTerm] = axisTerms(trace, json);
  const predicts = json.part === "loss" || colTerm === "V";
  return predicts ? predictionAxis(trace, range(trace.sentences)) : batchAxis(sideOfTerm(trace, rowTerm, json.name));
}

function placeInHead(trace: Trace, tensor: number, row: number, col: number): string {
  const [rowTerm, colTerm] = axisTerms(trace, trace.tensor(tensor));
  const [queries, keys] = [sideOfTerm(trace, rowTerm), sideOfTerm(trace, colTerm)];
  const { heads } = trace.json.model;
  const [block, query] = [Math.floor(row / queries.length), row % queries.length];
  const [sentence, head] = [Math.floor(block / heads), block % heads];
  return [
    `sentence ${sentence}`,
    `head ${head}`,
    tokenAxis(queries, sentence, "query").long(query),
    tokenAxis(keys, sentence, "key").long(col),
  ].join(" · ");
}

/// How many rows of a tensor belong to each sentence; undefined if its rows do not belong to sentences.
export function rowsPerSentence(trace: Trace, tensor: number): number | undefined {
  const [rowTerm] = axisTerms(trace, trace.tensor(tensor));
  if (rowTerm === "B") return 1;
  if (!rowTerm.startsWith("B*")) return undefined;
  const { length } = sideOfTerm(trace, rowTerm);
  return rowTerm.startsWith("B*H*") ? trace.json.model.heads * length : length;
}

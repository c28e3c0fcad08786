// Which keys a query may not attend to, and why. Both follow from the elementary masks that are on, unless the reader of
// the live page has flipped cells.
import { range } from "../base/numbers";
import type { Cells } from "./matrix";
import { ATTENTION_KINDS, KINDS } from "./names";
import type { Side, Trace } from "./trace";
import type { AttentionKind, ReasonJson, ReasonName, TensorJson, VariantJson } from "./types";

/// What blocks a cell: an elementary mask, or the reader, who has flipped it.
export type Blocker = ReasonName | "reader";

const REASONS: Record<Blocker, string> = {
  padding: "this key is padding",
  future: "this key is in the future",
  padded_query: "this query is padding",
  inverted: "the model’s own mask has a 0 here, and 0 is read as blocked",
  reader: "you blocked this",
};

/// The mask of one sentence, queries by keys. It is stored with a row for each query, or with one row for all of them.
export function maskOfSentence(mask: Cells, sentences: number, sentence: number, queries: number): Cells {
  const row = (query: number) => (mask.rows === sentences ? sentence : sentence * queries + query);
  return { rows: queries, cols: mask.cols, at: (query, key) => mask.at(row(query), key) };
}

/// The names of the elementary masks of `variant` that block a key for a query, whether or not the reader has opened it.
export function elementaryMasks(
  trace: Trace,
  kind: AttentionKind,
  sentence: number,
  query: number,
  key: number,
  variant = trace.own,
): ReasonName[] {
  const blocks = ({ sentences, queries, blocked }: ReasonJson) =>
    trace.matrix(blocked).at((sentences === 1 ? 0 : sentence) * queries + (queries === 1 ? 0 : query), key) !== 0;
  return variant.reasons[ATTENTION_KINDS[kind].mask].filter(blocks).map(({ name }) => name);
}

function isBlocked(
  trace: Trace,
  kind: AttentionKind,
  sentence: number,
  query: number,
  key: number,
  variant: VariantJson,
): boolean {
  const { mask, rows } = ATTENTION_KINDS[kind];
  const cells = trace.matrix(variant.masks[mask]);
  return maskOfSentence(cells, trace.sentences, sentence, trace[rows].length).at(query, key) !== 0;
}

/// What blocks a key for a query; empty if the key is visible.
export function blockedBy(
  trace: Trace,
  kind: AttentionKind,
  sentence: number,
  query: number,
  key: number,
  variant = trace.own,
): Blocker[] {
  if (!isBlocked(trace, kind, sentence, query, key, variant)) return [];
  const names = elementaryMasks(trace, kind, sentence, query, key, variant);
  return names.length ? names : ["reader"];
}

/// The elementary masks that would block a key for a query, but the reader has opened it; usually none.
export const openedAgainst = (
  trace: Trace,
  kind: AttentionKind,
  sentence: number,
  query: number,
  key: number,
  variant = trace.own,
): ReasonName[] =>
  isBlocked(trace, kind, sentence, query, key, variant)
    ? []
    : elementaryMasks(trace, kind, sentence, query, key, variant);

/// Whether the reader has flipped any cell of the mask of this kind of attention.
export function isFlipped(trace: Trace, kind: AttentionKind): boolean {
  const { rows, cols } = ATTENTION_KINDS[kind];
  const flipped = (sentence: number, query: number, key: number) =>
    isBlocked(trace, kind, sentence, query, key, trace.own) !==
    elementaryMasks(trace, kind, sentence, query, key).length > 0;
  return range(trace.sentences).some((sentence) =>
    range(trace[rows].length).some((query) => range(trace[cols].length).some((key) => flipped(sentence, query, key))),
  );
}

/// ["padding", "future"] -> "this key is padding, and it is in the future"
export function reasonText(names: Blocker[]): string {
  const reasons = names.map((name) => REASONS[name]);
  const last = reasons.length > 1 ? `, and ${reasons.pop()}` : "";
  return (reasons.join(", ") + last).replaceAll(/, (and )?this key/g, ", $1it");
}

/// "blocked: this key is padding". `later`: the step that blocks the cell, if its number is from before that; empty if
/// nothing blocks it.
export function blockedText(names: Blocker[], later?: number): string {
  if (!names.length) return "";
  return `${later === undefined ? "blocked" : `will be blocked in step ${later + 1}`}: ${reasonText(names)}`;
}

/// The step that blocks the cells of `tensor`, if the tensor is computed before the mask is applied: its products and its
/// scores.
export function blockedLaterIn(trace: Trace, { part, name }: TensorJson): number | undefined {
  if (name !== "products" && name !== "scores") return undefined;
  const masks = trace.steps.findIndex(
    (step) => step.direction === "forward" && step.part === part && step.inputs.some((input) => input.name === "mask"),
  );
  return masks < 0 ? undefined : masks;
}

export type HatchKind = "future" | "padding" | "both" | "neither" | "reader";

/// How a blocked cell is hatched.
export function hatchKind(names: Blocker[]): HatchKind {
  if (names.includes("reader")) return "reader";
  const [padding, future] = [names.includes("padding"), names.includes("future")];
  if (padding && future) return "both";
  if (padding) return "padding";
  return future ? "future" : "neither";
}

/// The kinds of attention in which a word in any sentence may attend to padding.
export function paddingSeen(trace: Trace): AttentionKind[] {
  const places = (side: Side, sentence: number, pad: boolean) =>
    range(side.length).filter((position) => side.isPad(sentence, position) === pad);
  const sees = (kind: AttentionKind, sentence: number) => {
    const { rows, cols } = ATTENTION_KINDS[kind];
    const keys = places(trace[cols], sentence, true);
    const open = (query: number) => keys.some((key) => !blockedBy(trace, kind, sentence, query, key).length);
    return places(trace[rows], sentence, false).some(open);
  };
  return KINDS.filter((kind) => range(trace.sentences).some((sentence) => sees(kind, sentence)));
}

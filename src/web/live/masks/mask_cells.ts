// The cells of a batch's masks, which the reader may flip: a cell, a row, a column, a whole mask. Masks are not changed in
// place: every function returns new ones, so that undo can return to the old ones.
import { range } from "../../base/numbers";
import type { MaskCells, Masks } from "../../engine/protocol";
import { ATTENTION_KINDS, KINDS } from "../../trace/names";
import { elementaryMasks } from "../../trace/reasons";
import type { Trace } from "../../trace/trace";
import type { AttentionKind, LayerMask } from "../../trace/types";

export type Reach = "cell" | "row" | "column";

/// A mask with a row for each query, whose cells `isBlocked` decides.
function makeCells(
  sentences: number,
  queries: number,
  keys: number,
  isBlocked: (sentence: number, query: number, key: number) => boolean,
): MaskCells {
  const blocked = new Uint8Array(sentences * queries * keys);
  for (let i = 0; i < blocked.length; ++i) {
    const row = Math.floor(i / keys);
    blocked[i] = Number(isBlocked(Math.floor(row / queries), row % queries, i % keys));
  }
  return { sentences, queries, keys, blocked };
}

/// Masks of this batch, whose cells `isBlocked` decides.
export function makeMasks(
  trace: Trace,
  isBlocked: (kind: AttentionKind, sentence: number, query: number, key: number) => boolean,
): Masks {
  const masks = KINDS.map((kind) => {
    const { mask, rows, cols } = ATTENTION_KINDS[kind];
    const cells = makeCells(trace.sentences, trace[rows].length, trace[cols].length, (...cell) =>
      isBlocked(kind, ...cell),
    );
    return [mask, cells] as const;
  });
  return Object.fromEntries(masks) as Record<LayerMask, MaskCells>;
}

/// The model's own masks for this batch.
export const ownMasks = (trace: Trace): Masks =>
  makeMasks(trace, (kind, sentence, query, key) => elementaryMasks(trace, kind, sentence, query, key).length > 0);

const indexOf = ({ queries, keys }: MaskCells, sentence: number, query: number, key: number): number =>
  (sentence * queries + query) * keys + key;

export const isBlocked = (cells: MaskCells, sentence: number, query: number, key: number): boolean =>
  cells.blocked[indexOf(cells, sentence, query, key)] !== 0;

/// All cells of these sentences.
function* cellsOf({ queries, keys }: MaskCells, sentences: number[]) {
  for (const sentence of sentences) {
    for (let query = 0; query < queries; ++query) {
      for (let key = 0; key < keys; ++key) yield { sentence, query, key };
    }
  }
}

interface Place {
  sentence: number;
  query: number;
  key: number;
}

/// The masks with other cells in the mask `name`, for these sentences: `decide` says which are blocked.
export function withCells(
  masks: Masks,
  name: LayerMask,
  sentences: number[],
  decide: (place: Place) => boolean,
): Masks {
  const cells = masks[name];
  const blocked = cells.blocked.slice();
  for (const place of cellsOf(cells, sentences)) {
    blocked[indexOf(cells, place.sentence, place.query, place.key)] = Number(decide(place));
  }
  return { ...masks, [name]: { ...cells, blocked } };
}

/// Flips a cell. A row or a column gets the new state of that cell throughout.
export function flip(masks: Masks, name: LayerMask, sentences: number[], at: Place, reach: Reach): Masks {
  const cells = masks[name];
  const next = !isBlocked(cells, at.sentence, at.query, at.key);
  return withCells(masks, name, sentences, ({ sentence, query, key }) => {
    const inRow = reach === "column" || query === at.query;
    const inColumn = reach === "row" || key === at.key;
    return inRow && inColumn ? next : isBlocked(cells, sentence, query, key);
  });
}

/// How many cells of a mask differ, in these sentences.
export function differences(a: Masks, b: Masks, name: LayerMask, sentences: number[]): number {
  let count = 0;
  for (const { sentence, query, key } of cellsOf(a[name], sentences)) {
    count += Number(isBlocked(a[name], sentence, query, key) !== isBlocked(b[name], sentence, query, key));
  }
  return count;
}

/// Which of the masks differ.
export const changedMasks = (a: Masks, b: Masks): LayerMask[] =>
  KINDS.map((kind) => ATTENTION_KINDS[kind].mask).filter(
    (name) => differences(a, b, name, range(a[name].sentences)) > 0,
  );

/// Whether masks belong to a batch of this shape.
export const fits = (masks: Masks, trace: Trace): boolean =>
  KINDS.every((kind) => {
    const { mask, rows, cols } = ATTENTION_KINDS[kind];
    const { sentences, queries, keys } = masks[mask];
    return sentences === trace.sentences && queries === trace[rows].length && keys === trace[cols].length;
  });

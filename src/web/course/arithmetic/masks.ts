// The masks of a batch of ids, as in chapter 1. 1 means blocked.
import type { ReasonName } from "../../trace/types";

/// All sentences filled up to the length of the longest.
export function padded(sentences: number[][], pad: number): number[][] {
  const length = Math.max(0, ...sentences.map((ids) => ids.length));
  return sentences.map((ids) => [...ids, ...Array<number>(length - ids.length).fill(pad)]);
}

/// [B, 1, S], for one sentence: its only row.
export const paddingMask = (ids: number[], pad: number): number[] => ids.map((id) => (id === pad ? 1 : 0));

/// [1, T, T]
export const lookAheadMask = (length: number): number[][] =>
  Array.from({ length }, (_, query) => Array.from({ length }, (_, key) => (key > query ? 1 : 0)));

/// [B, T, T], for one sentence: blocked if either mask blocks.
export const combinedMask = (padding: number[], lookAhead: number[][]): number[][] =>
  lookAhead.map((row) => row.map((future, key) => Math.max(future, padding[key]!)));

/// Why a cell is blocked.
export function reasonsFor(padding: number | undefined, future: number | undefined): ReasonName[] {
  return [...(padding ? (["padding"] as const) : []), ...(future ? (["future"] as const) : [])];
}

/// "12 11 6" as ids, or what is wrong with it.
export function parseIds(text: string, vocabulary: number): number[] | string {
  const ids: number[] = [];
  for (const word of text.trim().split(/\s+/)) {
    if (!/^\d+$/.test(word) || Number(word) >= vocabulary) {
      return `Expected ids from 0 to ${vocabulary - 1}, separated by spaces; found “${word}”.`;
    }
    ids.push(Number(word));
  }
  return ids;
}

// How much the page shows and trains on.
import { plural } from "../../base/numbers";
import type { Pair } from "../../engine/protocol";
import { splitWords } from "./words";

export const MOST_PAIRS = 8; // in the batch that is shown
export const MOST_WORDS = 60; // in a sentence that is shown

export type SideName = keyof Pair;

export const SIDES: SideName[] = ["source", "target"];

/// What is wrong with a sentence that has too many words; null: nothing.
export function tooLong(sentence: string): string | null {
  const { length } = splitWords(sentence);
  if (length <= MOST_WORDS) return null;
  return (
    `This sentence has ${plural(length, "word")}; the page shows at most ${MOST_WORDS}. ` +
    `Remove ${plural(length - MOST_WORDS, "word")} to see its numbers.`
  );
}

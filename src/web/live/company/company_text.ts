// A sentence in long company: the other sentence of its batch, made of the training text.
import type { Pair, Text } from "../../engine/protocol";
import { MOST_WORDS } from "../text/limits";
import { splitWords } from "../text/words";

/// The length of a pair: the words of its longer side.
export const lengthOf = ({ source, target }: Pair): number =>
  Math.max(splitWords(source).length, splitWords(target).length);

/// How long the company of a sentence may be, and how long it is at first. There is none if the sentence itself is as
/// long as any may be.
export function companyLengths(pair: Pair): { least: number; most: number; first: number } {
  const least = Math.min(lengthOf(pair) + 1, MOST_WORDS);
  return { least, most: MOST_WORDS, first: Math.min(least + 11, MOST_WORDS) };
}

/// `count` words of these lines, from the first line on.
function wordsOf(lines: string, count: number): string {
  const words: string[] = [];
  for (const line of lines.split("\n")) {
    words.push(...splitWords(line));
    if (words.length >= count) break;
  }
  if (words.length === 0) return "";
  return Array.from({ length: count }, (_, i) => words[i % words.length]).join(" ");
}

/// A pair whose sides both have `count` words.
export const companyOf = ({ source, target }: Text, count: number): Pair => ({
  source: wordsOf(source, count),
  target: wordsOf(target, count),
});

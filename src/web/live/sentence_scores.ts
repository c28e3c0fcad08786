// How good translations are, compared with the expected ones.
import { splitWords } from "./text/words";

/// Whether a translation is an exact match, as in src/evaluation/evaluation.cpp: white space does not count.
export const sameWords = (a: string, b: string): boolean => splitWords(a).join(" ") === splitWords(b).join(" ");

export const countOf = <Item>(items: Item[], holds: (item: Item, i: number) => boolean): number =>
  items.filter(holds).length;

/// A translation, split at its first word that is not the expected one.
interface Split {
  before: string;
  word: string | null; // null: there is no such word
  after: string;
  isMissing: boolean; // it ends where another word is expected
}

export function splitAtDifference(own: string, expected: string): Split {
  const [words, wanted] = [splitWords(own), splitWords(expected)];
  let right = 0;
  while (right < words.length && words[right] === wanted[right]) ++right;
  return {
    before: words.slice(0, right).join(" "),
    word: words[right] ?? null,
    after: words.slice(right + 1).join(" "),
    isMissing: right === words.length && right < wanted.length,
  };
}

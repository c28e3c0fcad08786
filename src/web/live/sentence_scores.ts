// How good translations are, compared with the expected ones.

const SPACE = /[\t-\r\x1c-\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/// Words, as the program splits them (src/words/words.cpp).
export const wordsOf = (text: string): string[] => text.split(SPACE).filter((word) => word !== "");

/// Whether a translation is an exact match, as in src/evaluation/evaluation.cpp: white space does not count.
export const sameWords = (a: string, b: string): boolean => wordsOf(a).join(" ") === wordsOf(b).join(" ");

export const countOf = <Item>(items: Item[], holds: (item: Item, i: number) => boolean): number =>
  items.filter(holds).length;

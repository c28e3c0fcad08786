// How good translations are, compared with the expected ones.
import { splitWords } from "./text/words";

/// Whether a translation is an exact match, as in src/evaluation/evaluation.cpp: white space does not count.
export const sameWords = (a: string, b: string): boolean => splitWords(a).join(" ") === splitWords(b).join(" ");

export const countOf = <Item>(items: Item[], holds: (item: Item, i: number) => boolean): number =>
  items.filter(holds).length;

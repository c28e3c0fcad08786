// Sentences that show something, made of the text that the model learns from.
import type { Pair, Text } from "../../engine/protocol";
import { MOST_PAIRS, MOST_WORDS } from "./limits";
import { splitWords } from "./words";

interface Example {
  title: string;
  pairs: Pair[];
}

const MOST_LINES = 2000; // of the text are looked at

export function pairsOf({ source, target }: Text, most: number): Pair[] {
  const targets = target.split("\n");
  const lines = source.split("\n").slice(0, most);
  return lines
    .map((line, i) => ({ source: line, target: targets[i] ?? "" }))
    .filter((pair) => pair.source !== "" && pair.target !== "");
}

const countOf = ({ source }: Pair): number => splitWords(source).length;

/// The pair with its last word replaced; a full stop is not a word. Elsewhere, the sentence might lose its verb.
function withUnknownWord({ source, target }: Pair): Pair {
  const words = splitWords(source);
  const last = words.findLastIndex((word) => /[\p{L}\p{N}]/u.test(word));
  words[last === -1 ? words.length - 1 : last] = "unicorn";
  return { source: words.join(" "), target };
}

export function examplesOf(text: Text, first: Pair[]): Example[] {
  const shown = pairsOf(text, MOST_LINES).filter(
    ({ source, target }) => Math.max(splitWords(source).length, splitWords(target).length) <= MOST_WORDS,
  );
  const sorted = shown.toSorted((a, b) => countOf(a) - countOf(b));
  const [short, middle, long] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
  if (!short || !middle || !long) return [{ title: "The first ones", pairs: first }];
  return [
    { title: "The first ones", pairs: first },
    { title: "Short in long company", pairs: [short, long] },
    { title: "An unknown word", pairs: [withUnknownWord(middle), middle] },
    { title: "An empty target", pairs: [{ ...middle, target: "" }] },
    { title: "Other scripts", pairs: [{ source: "שלום עולם .", target: "</script> 🦄 ." }, middle] },
    { title: "Eight sentences", pairs: shown.slice(0, MOST_PAIRS) },
  ];
}

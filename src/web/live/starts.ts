// What a reader can start from: a config of the project with its text, or a run that came with the page.
import { signal } from "@preact/signals";
import debug from "config:debug";
import reverse from "config:reverse";
import toy from "config:toy";
import { unpackBytes } from "../base/packed_bytes";
import type { Pair, Text, Values } from "../engine/protocol";
import type { Snapshot } from "./snapshots";

export interface Start {
  id: string;
  base?: string; // of a reader's own text: the id of the start whose settings it has
  title: string;
  says: string;
  values: Values;
  text(): Promise<Text>;
  test: (() => Promise<Text>) | null; // text that it is not trained on
  pairs: Pair[]; // the sentences that the page shows first
  snapshots?: Snapshot[]; // that came with the page
}

const unpackText = async (packed: string): Promise<Text> =>
  JSON.parse(new TextDecoder().decode(await unpackBytes(packed)));

/// The project's own.
export const STARTS: Start[] = [
  {
    id: "toy",
    title: "Toy English to German",
    says: "10,000 short sentences, 255,000 parameters",
    values: toy.values,
    text: () => unpackText(toy.text),
    test: () => unpackText(toy.test),
    pairs: [
      { source: "she sleeps .", target: "sie schläft ." },
      { source: "the small dog sees a house .", target: "der kleine hund sieht ein haus ." },
      { source: "she knows that the children read a book .", target: "sie weiß , dass die kinder ein buch lesen ." },
    ],
  },
  {
    id: "reverse",
    title: "Digits backwards",
    says: "all that the model has to learn is the order",
    values: reverse.values,
    text: () => unpackText(reverse.text),
    test: () => unpackText(reverse.test),
    pairs: [
      { source: "3 1 4 1 5", target: "5 1 4 1 3" },
      { source: "2 7", target: "7 2" },
    ],
  },
  {
    id: "debug",
    title: "Eight numbers per word",
    says: "the model of the course’s chapters, “debug”: two sentences; every matrix fits on the screen",
    values: debug.values,
    text: () => unpackText(debug.text),
    test: null,
    pairs: [
      { source: "the small dog sees a house .", target: "der kleine hund sieht ein haus ." },
      { source: "she sleeps .", target: "sie schläft ." },
    ],
  },
];

/// All of them; the page opens with the first one.
export const starts = signal(STARTS);

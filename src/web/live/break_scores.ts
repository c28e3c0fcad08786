// The numbers that give a broken model away, on sentences that it is not trained on.
import { linesOf } from "../base/lines";
import type { Hypothesis, Pair, Text, Values } from "../engine/protocol";
import type { TraceJson } from "../trace/types";
import { countOf, sameWords } from "./sentence_scores";
import { splitWords } from "./text/words";

type Soon<Result> = Result | Promise<Result>;

/// What is needed of an engine.
interface Scored {
  trace(pairs: Pair[]): Soon<TraceJson>;
  translate(sources: string[], search: Values): Soon<Hypothesis[][]>;
}

export interface Scores {
  update: number;
  sentences: number;
  loss: number | null; // teacher forcing
  tokens: number;
  correct: number; // of the tokens, with teacher forcing
  exact: number; // of the sentences, free running
  orderBlind: number; // translated in the same way if the words of the source come backwards
  different: number; // translations: how many different ones there are
  changed: number; // translated differently beside a long sentence
}

const SENTENCES = 20;
const GREEDY = { "decoding.beam": "1", "decoding.batch": "100" };

/// The first sentences of a test text, and a long one that is made of more of them.
export function heldOut({ source, target }: Text): { pairs: Pair[]; long: string } {
  const [sources, targets] = [linesOf(source), linesOf(target)];
  const pairs = sources.slice(0, SENTENCES).map((line, i) => ({ source: line, target: targets[i]! }));
  return { pairs, long: sources.slice(SENTENCES, SENTENCES + 7).join(" ") };
}

export async function scoreModel(engine: Scored, text: Text, update: number): Promise<Scores> {
  const { pairs, long } = heldOut(text);
  const { loss } = await engine.trace(pairs);
  const sources = pairs.map(({ source }) => source);
  const alone = await oneByOne(engine, sources);
  const backwards = await oneByOne(engine, sources.map(reversed));
  const together = await engine.translate([...sources, long], GREEDY);
  return {
    update,
    sentences: pairs.length,
    loss: loss.mean,
    tokens: loss.tokens,
    correct: loss.correct,
    exact: countOf(alone, (text, i) => sameWords(text, pairs[i]!.target)),
    orderBlind: countOf(alone, (text, i) => text === backwards[i]),
    different: new Set(alone).size,
    changed: countOf(alone, (text, i) => text !== textOf([together[i]!])),
  };
}

const reversed = (sentence: string): string => splitWords(sentence).reverse().join(" ");

async function oneByOne(engine: Scored, sources: string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const source of sources) texts.push(textOf(await engine.translate([source], GREEDY)));
  return texts;
}

const textOf = (found: Hypothesis[][]): string => found[0]?.[0]?.text ?? "";

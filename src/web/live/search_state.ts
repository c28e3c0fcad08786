// The search that the page shows. It searches again when the sentence, a setting or the pass changes (so also when the
// model or a head does), as long as the reader looks at it.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Hypothesis, SearchTree, Values } from "../engine/protocol";
import { generation } from "./engine_state";
import { pairs, runShown, trace } from "./pass_state";
import { searchNodes, type SearchNode, type SearchNodes } from "./search_tree";
import type { SearchRules } from "./search_words";
import { running } from "./training_state";

export const MOST_BEAM = 8;
export const MOST_PENALTY = 2;

/// Which of the shown pairs is translated; null: the reader's own sentence.
export const pairChosen = signal<number | null>(0);
export const ownSentence = signal("");
export const beam = signal(4);
export const penalty = signal(1);
export const early = signal(false);

export interface Search {
  sentence: string;
  unknown: string[]; // words of the sentence
  rules: SearchRules;
  tree: SearchTree;
  nodes: SearchNodes;
  greedy: Hypothesis; // what a beam of 1 finds
}

export const search = signal<Search | null>(null);
/// How many steps the page shows, and the node that the reader looks at.
export const shownSteps = signal(1);
export const selected = signal<SearchNode | null>(null);
export const playing = signal(false);
/// Whether the section is on the page.
export const isShown = signal(false);

const sentence = computed(() => {
  const { length } = pairs.value;
  const chosen = pairChosen.value;
  return chosen === null ? ownSentence.value : pairs.value[Math.min(chosen, length - 1)]!.source;
});

const searchValues = (size: number, power: number, stopsEarly: boolean): Values => ({
  "decoding.beam": String(size),
  "decoding.length_penalty": String(power),
  "decoding.early_stopping": String(stopsEarly),
});

let wanted = 0;
effect(() => {
  const [number, words, size, power, stopsEarly] = [++wanted, sentence.value, beam.value, penalty.value, early.value];
  void trace.value;
  if (!isShown.value || generation.value === 0 || running.value) return;
  void runShown("searching", async (engine) => {
    if (number !== wanted) return;
    const tree = await engine.search_tree(words, searchValues(size, power, stopsEarly));
    const [[greedy]] = (await engine.translate([words], searchValues(1, power, stopsEarly))) as [[Hypothesis]];
    const { unknown } = await engine.tokens("source", words);
    const rules = { beam: size, penalty: power, early: stopsEarly, limit: tree.limit };
    show({ sentence: words, unknown, rules, tree, nodes: searchNodes(tree), greedy });
  });
});

/// A new search of the same sentence keeps the step, so that the reader sees what a setting changes there.
function show(next: Search): void {
  const isSame = search.peek()?.sentence === next.sentence;
  batch(() => {
    const { length } = next.tree.steps;
    shownSteps.value = isSame ? Math.min(shownSteps.value, length) : Math.min(1, length);
    selected.value = null;
    search.value = next;
  });
}

export function showSteps(count: number): void {
  const most = search.value?.tree.steps.length ?? 0;
  batch(() => {
    shownSteps.value = Math.max(Math.min(1, most), Math.min(most, count));
    if (selected.value && selected.value.step > shownSteps.value) selected.value = null;
  });
}

/// While it plays, a step follows another.
effect(() => {
  if (!playing.value) return;
  const timer = setInterval(() => {
    showSteps(shownSteps.peek() + 1);
    if (shownSteps.peek() >= (search.peek()?.tree.steps.length ?? 0)) playing.value = false;
  }, 900);
  return () => clearInterval(timer);
});

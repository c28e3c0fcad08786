// The sentences as the reader types them. The pass follows shortly after the last key, unless a sentence is too long.
import { computed, effect, signal } from "@preact/signals";
import type { Pair, Tokens } from "../../engine/protocol";
import { engine, generation } from "../engine_state";
import { pairs, runShown, showPairs } from "../pass_state";
import { SIDES, tooLong, type SideName } from "./limits";

export interface Draft extends Pair {
  id: number; // stays the same when the pair is moved
}

const DEBOUNCE = 150; // milliseconds

let lastId = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let sent: Pair[] | null = null;

export const drafts = signal<Draft[]>([]);

/// How the model's vocabulary reads the sentences, by side and sentence.
const readings = signal<ReadonlyMap<string, Tokens>>(new Map());
const keyOf = (side: SideName, sentence: string): string => `${side} ${sentence}`;

/// null: not known yet.
export const readingOf = (side: SideName, sentence: string): Tokens | null =>
  readings.value.get(keyOf(side, sentence)) ?? null;

/// Whether a sentence is too long, so that the page still shows an earlier text.
export const refused = computed(() => drafts.value.some((draft) => SIDES.some((side) => tooLong(draft[side]))));

export const newDraft = ({ source, target }: Pair): Draft => ({ id: ++lastId, source, target });

export function setDrafts(next: Draft[]): void {
  drafts.value = next;
  clearTimeout(timer);
  timer = setTimeout(apply, DEBOUNCE);
}

export const editDraft = (id: number, change: Partial<Pair>): void =>
  setDrafts(drafts.peek().map((draft) => (draft.id === id ? { ...draft, ...change } : draft)));

/// Makes the model's translation of a sentence its target.
export async function translateDraft({ id, source }: Draft): Promise<void> {
  const found = await runShown("translating", (engine) => engine.translate([source], {}));
  if (found) editDraft(id, { target: found[0]?.[0]?.text ?? "" });
}

function apply(): void {
  void read();
  if (refused.peek()) return;
  const next = drafts.peek().map(({ source, target }) => ({ source, target }));
  const same = ({ source, target }: Pair, i: number) =>
    pairs.peek()[i]?.source === source && pairs.peek()[i]?.target === target;
  if (next.length === pairs.peek().length && next.every(same)) return; // the masks that the reader changed stay
  sent = next;
  showPairs(next);
}

let readsWanted = 0;

/// Asks the engine how it reads the sentences. Of several calls in a row, the last counts.
async function read(): Promise<void> {
  const number = ++readsWanted;
  const model = generation.peek();
  const known = readings.peek();
  const next = new Map<string, Tokens>();
  try {
    for (const draft of drafts.peek()) {
      for (const side of SIDES) {
        const [key, sentence] = [keyOf(side, draft[side]), draft[side]];
        if (!tooLong(sentence)) next.set(key, known.get(key) ?? (await engine.peek()!.tokens(side, sentence)));
      }
    }
  } catch {
    return; // the engine has ended: the next one reads them
  }
  if (number === readsWanted && model === generation.peek()) readings.value = next;
}

/// The page shows other sentences, or another model reads them.
effect(() => {
  const shown = pairs.value;
  if (shown === sent) return;
  clearTimeout(timer);
  sent = shown;
  drafts.value = shown.map(newDraft);
  if (engine.peek() && generation.peek() > 0) void read();
});
let lastModel = generation.peek();
effect(() => {
  void engine.value;
  if (generation.value === 0) return;
  if (generation.value !== lastModel) readings.value = new Map();
  lastModel = generation.value;
  void read();
});

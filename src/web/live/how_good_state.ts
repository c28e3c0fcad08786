// How many held-out sentences the model translates exactly.
import { batch, effect, signal } from "@preact/signals";
import { beforeNewModel, clearError, error, generation, start } from "./engine_state";
import { linesOf } from "../base/lines";
import { messageOf } from "../base/message";
import { headsOff, runShown } from "./pass_state";
import type { Text } from "../engine/protocol";
import { sameWords } from "./sentence_scores";
import { position, running, stop as stopTraining } from "./training_state";

export interface Translated {
  source: string;
  expected: string;
  own: string;
  right: boolean;
}

const CHUNK = 20; // sentences, after which the page shows how far it is
const GREEDY = { "decoding.beam": "1" };

export const translated = signal<Translated[]>([]);
/// How many sentences there are; 0: it has not begun.
export const all = signal(0);
/// The update whose weights translate.
export const testedUpdate = signal(0);
/// How many of its heads are off.
export const testedHeadsOff = signal(0);
export const testing = signal(false);
let stopped = false;
let round = 0; // goes up whenever what has been translated is forgotten

/// Translates the test text of the start, by greedy search.
export async function test(): Promise<void> {
  const { test: read } = start.value;
  if (!read || testing.value) return;
  if (running.value) stopTraining();
  clearError();
  forget();
  testing.value = true;
  stopped = false;
  try {
    await translate(await read());
  } catch (problem) {
    error.value = messageOf(problem);
  } finally {
    testing.value = false;
  }
}

async function translate({ source, target }: Text): Promise<void> {
  const [sources, targets] = [linesOf(source), linesOf(target)];
  const model = generation.peek();
  await runShown("translating the test text", async (engine) => {
    if (model !== generation.peek()) return;
    const own = round;
    batch(() => {
      all.value = sources.length;
      testedUpdate.value = position.peek();
      testedHeadsOff.value = headsOff.peek().length;
    });
    for (let begin = 0; begin < sources.length && !stopped; begin += CHUNK) {
      const lines = sources.slice(begin, begin + CHUNK);
      const found = await engine.translate(lines, GREEDY);
      if (own !== round) return;
      const more = lines.map((line, i) => {
        const [own, expected] = [found[i]![0]?.text ?? "", targets[begin + i]!];
        return { source: line, expected, own, right: sameWords(own, expected) };
      });
      translated.value = [...translated.value, ...more];
    }
  });
}

export function stopTest(): void {
  stopped = true;
}
beforeNewModel(stopTest);

function forget(): void {
  round += 1;
  batch(() => {
    translated.value = [];
    all.value = 0;
  });
}

/// Another model, or one with other heads, has not been tested.
effect(() => {
  void [generation.value, headsOff.value];
  if (all.peek() > 0) stopTest();
  forget();
});

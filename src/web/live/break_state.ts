// A broken model in training. It has an engine of its own, so the model of the page stays as it is.
import { batch, signal } from "@preact/signals";
import type { Update } from "../engine/protocol";
import type { WorkerEngine } from "../engine/worker_engine";
import { scoreModel, type Scores } from "./break_scores";
import type { Breakage } from "./breakages";
import { error, workers } from "./engine_state";
import { startEngine } from "./engine_files";
import { STARTS } from "./starts";
import { stop as stopTraining } from "./training_state";
import { nextStop } from "./training_plan";

/// It is the toy that is broken: its intact curve is recorded.
const toy = STARTS.find(({ id }) => id === "toy")!;

export const broken = signal<Breakage | null>(null);
export const brokenUpdates = signal<Update[]>([]);
export const brokenScores = signal<Scores[]>([]);
/// The update at which its training will stop.
export const brokenEnd = signal(0);
/// What the broken model's engine does; null: it waits.
export const brokenWork = signal<string | null>(null);

let engine: WorkerEngine | null = null;
let stopped = false;

/// Makes the broken model, untrained.
async function make({ changed }: Breakage): Promise<WorkerEngine> {
  const made = engine ?? (await startEngine(workers.peek())).started;
  engine = made;
  const known = new Set((await made.settings()).map(({ key }) => key));
  const own = Object.entries(toy.values).filter(([key]) => known.has(key));
  await made.create({ ...Object.fromEntries(own), ...changed }, await toy.text());
  return made;
}

async function trainUntil(made: WorkerEngine, end: number): Promise<void> {
  while (!stopped && brokenUpdates.value.length < end) {
    const until = Math.min(end, nextStop(brokenUpdates.value.length), nextHundred(brokenUpdates.value.length));
    await made.train(until - brokenUpdates.value.length, (reported) => {
      brokenUpdates.value = [...brokenUpdates.value, ...reported];
    });
    brokenWork.value = "translating";
    const scores = await scoreModel(made, await toy.test!(), brokenUpdates.value.length);
    batch(() => {
      brokenScores.value = [...brokenScores.value.filter(({ update }) => update !== scores.update), scores];
      brokenWork.value = "training";
    });
  }
}

const nextHundred = (update: number): number => 100 * (Math.floor(update / 100) + 1);

/// Trains a broken model for `count` updates: a new one, or the one that there is, further.
export async function trainBroken(breakage: Breakage, count: number): Promise<void> {
  if (brokenWork.value !== null) return;
  stopTraining();
  stopped = false;
  try {
    if (broken.value !== breakage || !engine) {
      batch(() => {
        broken.value = breakage;
        brokenUpdates.value = [];
        brokenScores.value = [];
        brokenWork.value = "starting";
      });
      await make(breakage);
    }
    brokenWork.value = "training";
    brokenEnd.value = brokenUpdates.value.length + count;
    await trainUntil(engine!, brokenEnd.value);
    error.value = null;
  } catch (problem) {
    error.value = problem instanceof Error ? problem.message : String(problem);
  } finally {
    brokenWork.value = null;
  }
}

export function stopBroken(): void {
  stopped = true;
  engine?.stop();
}

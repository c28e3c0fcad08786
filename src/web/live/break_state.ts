// A broken model in training. It has an engine of its own, so the model of the page stays as it is.
import { batch, signal } from "@preact/signals";
import { messageOf } from "../base/message";
import type { Update } from "../engine/protocol";
import type { WorkerEngine } from "../engine/worker_engine";
import { scoreModel, type Scores } from "./break_scores";
import type { Breakage } from "./breakages";
import { clearError, error, knownValues, workers } from "./engine_state";
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
let reached: Uint8Array | null = null; // a snapshot of where the broken model is, from which another engine goes on
let isShown = false;
let stopped = false;

/// Makes the broken model: untrained, or as it was.
async function make({ changed }: Breakage): Promise<WorkerEngine> {
  engine ??= (await startEngine(workers.peek())).started;
  const values = knownValues(toy.values, await engine.settings());
  await engine.create({ ...values, ...changed }, await toy.text());
  if (reached) await engine.restore(reached);
  return engine;
}

function endEngine(): void {
  engine?.end();
  engine = null;
}

/// The section is on the page.
export function showBroken(): void {
  isShown = true;
}

/// The section has left the page. The model trains on as long as it was asked to; then its memory is free.
export function leaveBroken(): void {
  isShown = false;
  if (brokenWork.peek() === null) endEngine();
}

/// Another model takes the place of the one that there was, if any.
function forget(next: Breakage | null): void {
  reached = null;
  batch(() => {
    broken.value = next;
    brokenUpdates.value = [];
    brokenScores.value = [];
  });
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
  clearError();
  stopped = false;
  brokenWork.value = "starting";
  try {
    const isNew = broken.value !== breakage;
    if (isNew) forget(breakage);
    const made = isNew || !engine ? await make(breakage) : engine;
    brokenWork.value = "training";
    brokenEnd.value = brokenUpdates.value.length + count;
    await trainUntil(made, brokenEnd.value);
    reached = await made.snapshot();
  } catch (problem) {
    error.value = messageOf(problem);
    forget(null);
    endEngine();
  } finally {
    brokenWork.value = null;
    if (!isShown) endEngine();
  }
}

export function stopBroken(): void {
  stopped = true;
  engine?.stop();
}

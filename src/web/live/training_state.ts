// Training: where it is, what it has reported, and the moments to which one can return.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Update } from "../engine/protocol";
import type { WorkerEngine } from "../engine/worker_engine";
import { engine, generation, run, setEndTraining, workers } from "./engine_state";
import { followDue, nextStop, thinOut, updatesUntil, type Snapshot } from "./training_plan";

/// The update whose weights the page shows.
export const position = signal(0);
/// Every update that has been made, in order: update n is at place n - 1. Some may be after `position`: training is
/// deterministic, so they would be the same again.
export const updates = signal<Update[]>([]);
/// Whether it trains, to go on or to return to an update.
export const running = signal(false);
/// The update to which it is going; null: it is not on its way to one.
export const destination = signal<number | null>(null);
export const lastUpdate = computed(() => updates.value[position.value - 1] ?? null);
export const snapshots = signal<Snapshot[]>([]);
/// Updates per second, while it trains.
export const speed = signal<number | null>(null);
/// How long this model has been trained, in seconds.
export const trainedFor = signal(0);
/// Updates per second that each number of workers has made of this model.
export const speeds = signal<Record<number, number>>({});

const MANY = 1_000_000;
const MOST_SNAPSHOTS = 24;

/// What follows the weights while it trains, such as the pass that the page shows.
type Follower = (engine: WorkerEngine) => Promise<void>;
let follower: Follower = async () => {};
export const setFollower = (next: Follower) => (follower = next);

async function keepSnapshot(): Promise<void> {
  const bytes = await engine.value!.snapshot();
  const others = snapshots.value.filter(({ update }) => update !== position.value);
  const all = [...others, { update: position.value, bytes }].sort((a, b) => a.update - b.update);
  snapshots.value = thinOut(all, MOST_SNAPSHOTS);
}

let stopped = false;

/// Trains until update `end()`, or until stop(). Between updates, the follower gets its turn: so rarely that it takes at
/// most an eighth of the time.
async function trainUntil(engine: WorkerEngine, end: () => number): Promise<void> {
  const begin = performance.now();
  const before = trainedFor.value;
  let [made, followed, cost] = [0, begin, 0];
  const report = (reported: Update[]) =>
    batch(() => {
      made += reported.length;
      if (position.value + reported.length > updates.value.length) {
        updates.value = [...updates.value.slice(0, position.value), ...reported];
      }
      position.value += reported.length;
      const seconds = (performance.now() - begin) / 1000;
      speed.value = made / seconds;
      trainedFor.value = before + seconds;
    });
  while (!stopped && position.value < end()) {
    const until = Math.min(nextStop(position.value), end());
    await engine.train(updatesUntil(followDue(followed, cost), speed.value, position.value, until), report);
    if (position.value === nextStop(position.value - 1)) await keepSnapshot();
    if (stopped || position.value >= end() || performance.now() < followDue(followed, cost)) continue;
    const start = performance.now();
    await follower(engine).catch(() => {}); // when training stops, the pass is computed again, and says what is wrong
    followed = performance.now();
    cost = followed - start;
  }
  if (performance.now() - begin > 1000) speeds.value = { ...speeds.value, [workers.value]: speed.value! };
}

/// Runs training as one task of the engine.
async function training(what: string, task: (engine: WorkerEngine) => Promise<void>): Promise<void> {
  stopped = false;
  running.value = true;
  await run(what, task);
  batch(() => {
    running.value = false;
    destination.value = null;
    speed.value = null;
  });
}

/// Makes `count` more updates, from where the page is; by default, until stop().
export async function train(count = MANY): Promise<void> {
  if (running.value) return;
  await training("training", async (engine) => {
    if (!snapshots.value.some(({ update }) => update === position.value)) await keepSnapshot();
    const end = position.value + count;
    await trainUntil(engine, () => end);
    await keepSnapshot();
  });
}

export function stop(): void {
  stopped = true;
  engine.value?.stop();
}
setEndTraining(stop);

/// Returns to an update: to a snapshot, or from the last one before it by training again, with the same bits. A later
/// call changes the destination of an earlier one.
export async function goTo(update: number): Promise<void> {
  if (running.value && destination.value === null) return;
  destination.value = update;
  engine.value?.stop();
  if (running.value) return;
  await training("going back", async (engine) => {
    const end = () => destination.value!;
    while (!stopped && end() !== position.value) {
      const from = snapshots.value.findLast((snapshot) => snapshot.update <= end());
      if (from && (position.value > end() || position.value < from.update)) {
        await engine.restore(from.bytes);
        position.value = from.update;
      }
      await trainUntil(engine, end);
    }
  });
}

/// A new model has not been trained.
effect(() => {
  void generation.value;
  batch(() => {
    position.value = 0;
    updates.value = [];
    snapshots.value = [];
    speeds.value = {};
    trainedFor.value = 0;
  });
});

// Training: where it is, what it has reported, and the moments to which one can return.
import { batch, computed, effect, signal } from "@preact/signals";
import { messageOf } from "../base/message";
import type { Update } from "../engine/protocol";
import type { WorkerEngine } from "../engine/worker_engine";
import { beforeNewModel, clearError, engine, generation, run, setResume, shipped, workers } from "./engine_state";
import { notice } from "./notice";
import { checkUpdate, mergeSnapshots, RefusedSnapshot, restoreSnapshot, type Snapshot } from "./snapshots";
import { followDue, mostSnapshots, nextStop, thinOut, updatesUntil } from "./training_plan";
import { addUpdates, EMPTY, updateOf, type UpdateLog } from "./update_log";

/// The update whose weights the page shows.
export const position = signal(0);
/// How many of the updates until there were skipped.
export const skipped = signal(0);
/// The updates that the page has made. Some may be after `position`: training is deterministic, so they would be the same
/// again. Some may be missing before it, if it went to a snapshot that came with the page.
export const updates = signal<UpdateLog>(EMPTY);
/// Whether it trains, to go on or to return to an update.
export const running = signal(false);
/// The update to which it is going; null: it is not on its way to one.
export const destination = signal<number | null>(null);
export const lastUpdate = computed(() => updateOf(updates.value, position.value));
/// The update at which it will stop by itself; null: it does not, or it does not train.
export const trainsUntil = signal<number | null>(null);
export const snapshots = signal<Snapshot[]>([]);
/// The last update to which the page can go without training further than anybody has before.
export const farthest = computed(() =>
  Math.max(position.value, updates.value.list.at(-1)?.number ?? 0, snapshots.value.at(-1)?.update ?? 0),
);
/// Updates per second, while it trains.
export const speed = signal<number | null>(null);
/// How long this model has been trained, in seconds.
export const trainedFor = signal(0);
/// Updates per second that each number of workers has made of this model.
export const speeds = signal<Record<number, number>>({});

/// What follows the weights while it trains, such as the pass that the page shows.
type Follower = (engine: WorkerEngine) => Promise<void>;
let follower: Follower = async () => {};
export const setFollower = (next: Follower) => (follower = next);

async function keepSnapshot(): Promise<void> {
  const update = position.value;
  if (snapshots.value.some((snapshot) => snapshot.update === update)) return;
  const bytes = await engine.value!.snapshot();
  const own: Snapshot = { update, name: null, bytes: () => Promise.resolve(bytes) };
  snapshots.value = thinOut(mergeSnapshots(snapshots.value, [own]), mostSnapshots(bytes.length));
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
      updates.value = addUpdates(updates.value, reported);
      position.value = reported.at(-1)!.number;
      skipped.value += reported.filter((update) => update.skipped).length;
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

let current: Promise<void> = Promise.resolve();

/// Runs training as one task of the engine, unless there is another model when it has its turn.
function training(what: string, task: (engine: WorkerEngine) => Promise<void>): Promise<void> {
  const model = generation.peek();
  stopped = false;
  running.value = true;
  clearError();
  current = run(what, async (engine) => {
    if (model === generation.peek()) await task(engine);
  }).then(() =>
    batch(() => {
      running.value = false;
      trainsUntil.value = null;
      destination.value = null;
      speed.value = null;
    }),
  );
  return current;
}

/// Makes `count` more updates, from where the page is; by default, until stop().
export async function train(count = Infinity): Promise<void> {
  if (running.value) return;
  await training("training", async (engine) => {
    await keepSnapshot();
    const end = position.value + count;
    if (count !== Infinity) trainsUntil.value = end;
    await trainUntil(engine, () => end);
    await keepSnapshot();
  });
}

export function stop(): void {
  stopped = true;
  engine.value?.stop();
}
beforeNewModel(stop);

/// Another engine goes on from the last snapshot that is not after `position`.
setResume(async (engine) => {
  const from = snapshots.value.findLast(({ update }) => update <= position.value);
  const restored = from ? await restoreSnapshot(engine, from) : { update: 0, skipped: 0 };
  batch(() => {
    position.value = restored.update;
    skipped.value = restored.skipped;
  });
});

/// Goes to a snapshot at once. One that cannot be used is left out; a notice says so.
async function restore(engine: WorkerEngine, snapshot: Snapshot): Promise<void> {
  try {
    const restored = await restoreSnapshot(engine, snapshot);
    batch(() => {
      position.value = restored.update;
      skipped.value = restored.skipped;
    });
    checkUpdate(snapshot, restored);
  } catch (problem) {
    if (problem instanceof RefusedSnapshot) snapshots.value = snapshots.value.filter((one) => one !== snapshot);
    throw problem;
  }
}

/// Goes to an update: to a snapshot, or from the last one before it by training again, with the same bits. A later
/// call changes the destination of an earlier one. If training is about to stop, it goes there afterwards.
export async function goTo(update: number): Promise<void> {
  const model = generation.peek();
  if (running.value && stopped) await current;
  if (model !== generation.peek()) return;
  if (running.value && destination.value === null) return;
  destination.value = update;
  engine.value?.stop();
  if (running.value) return current;
  await training("going to an update", async (engine) => {
    const end = () => destination.value!;
    try {
      if (position.value === 0) await keepSnapshot(); // the way back, wherever it goes
      while (!stopped && end() !== position.value) {
        const from = snapshots.value.findLast((snapshot) => snapshot.update <= end());
        if (!from && position.value > end()) throw new Error(`There is no snapshot before update ${end()}.`);
        if (from && (position.value > end() || position.value < from.update)) await restore(engine, from);
        await trainUntil(engine, end);
      }
    } catch (problem) {
      if (engine.failure) throw problem;
      notice.value = messageOf(problem);
    }
  });
}

/// A new model has not been trained.
effect(() => {
  void generation.value;
  batch(() => {
    position.value = 0;
    skipped.value = 0;
    updates.value = EMPTY;
    snapshots.value = shipped.peek();
    speeds.value = {};
    trainedFor.value = 0;
  });
});

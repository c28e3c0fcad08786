// Training: where it is, what it has reported, and the moments to which one can return.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Update } from "../engine/protocol";
import { engine, generation, run } from "./engine_state";

export interface Snapshot {
  update: number;
  bytes: Uint8Array;
}

/// The update whose weights the page shows.
export const position = signal(0);
/// Every update that has been made, in order: update n is at place n - 1.
export const updates = signal<Update[]>([]);
export const running = signal(false);
export const lastUpdate = computed(() => updates.value.at(position.value - 1) ?? null);
export const snapshots = signal<Snapshot[]>([]);
/// Updates per second, while it trains.
export const speed = signal<number | null>(null);

const MANY = 1_000_000;
const MOST_SNAPSHOTS = 24;

/// Keeps a snapshot of this moment. If there are too many, drops the one whose neighbours are closest.
async function keepSnapshot(): Promise<void> {
  const bytes = await engine.value!.snapshot();
  const others = snapshots.value.filter(({ update }) => update !== position.value);
  let kept = [...others, { update: position.value, bytes }].sort((a, b) => a.update - b.update);
  if (kept.length > MOST_SNAPSHOTS) {
    const gap = (i: number) => (kept[i + 1]!.update - kept[i - 1]!.update) / (kept[i]!.update + 1);
    let least = 1;
    for (let i = 2; i < kept.length - 1; ++i) if (gap(i) < gap(least)) least = i;
    kept = kept.filter((_, i) => i !== least);
  }
  snapshots.value = kept;
}

/// Makes `count` more updates, from where the page is; by default, until stop().
export async function train(count = MANY): Promise<void> {
  if (running.value) return;
  running.value = true;
  let [begin, made] = [performance.now(), 0];
  await run("training", async (engine) => {
    if (!snapshots.value.some(({ update }) => update === position.value)) await keepSnapshot();
    let rest = count;
    while (rest > 0 && running.value) {
      const some = Math.min(rest, nextStop(position.value) - position.value);
      await engine.train(some, (reported) => {
        made += reported.length;
        batch(() => {
          updates.value = [...updates.value.slice(0, position.value), ...reported];
          position.value += reported.length;
          speed.value = (1000 * made) / (performance.now() - begin);
        });
      });
      rest -= some;
      await keepSnapshot();
    }
  });
  batch(() => {
    running.value = false;
    speed.value = null;
  });
}

/// Snapshots are taken after 10, 20, 50, 100, 200, 500 ... updates, and whenever training stops.
function nextStop(update: number): number {
  for (let power = 10; ; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power > update) return factor * power;
  }
}

export function stop(): void {
  running.value = false;
  engine.value?.stop();
}

/// Returns to an update: to a snapshot, or from the last one before it by training again, with the same bits.
export async function goTo(update: number): Promise<void> {
  if (running.value) return;
  const from = snapshots.value.findLast((snapshot) => snapshot.update <= update);
  if (!from || update === position.value) return;
  await run("going back", async (engine) => {
    if (position.value > update || position.value < from.update) await engine.restore(from.bytes);
    else return engine.train(update - position.value, () => {});
    await engine.train(update - from.update, () => {});
  });
  position.value = update;
}

/// A new model has not been trained.
effect(() => {
  void generation.value;
  batch(() => {
    position.value = 0;
    updates.value = [];
    snapshots.value = [];
  });
});

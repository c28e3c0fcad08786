// When training pauses: to keep a snapshot, and to let the page show what has been learned.
import type { Snapshot } from "./snapshots";

/// Snapshots are taken after 10, 20, 50, 100, 200, 500 ... updates, and whenever training stops.
export function nextStop(update: number): number {
  for (let power = 10; ; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power > update) return factor * power;
  }
}

const MOST_SNAPSHOTS = 24;
const MOST_BYTES = 256e6; // in all snapshots that the page has made

/// How many snapshots of so many bytes the page keeps: at least the first and the last.
export const mostSnapshots = (bytes: number): number =>
  Math.max(2, Math.min(MOST_SNAPSHOTS, Math.floor(MOST_BYTES / bytes)));

/// If the page has made more than `most` snapshots, drops the one of them whose neighbours are closest, relative to its
/// update. The first and the last that the page has made stay, and so do all that came with the page.
/// \pre in order of their updates, at most one too many
export function thinOut(snapshots: Snapshot[], most: number): Snapshot[] {
  const own = snapshots.flatMap(({ name }, i) => (name === null ? [i] : []));
  if (own.length <= most) return snapshots;
  const gap = (i: number) => (snapshots[i + 1]!.update - snapshots[i - 1]!.update) / (snapshots[i]!.update + 1);
  let [least, ...others] = own.slice(1, -1);
  for (const i of others) if (gap(i) < gap(least!)) least = i;
  return snapshots.filter((_, i) => i !== least);
}

const FOLLOW_EVERY = 500; // milliseconds
const SHARE = 1 / 8; // of the time

/// When the page follows next: at most twice a second, and at most an eighth of the time. `cost`: of the last time.
export const followDue = (last: number, cost: number): number => last + Math.max(FOLLOW_EVERY, (1 / SHARE - 1) * cost);

/// How many updates to make before the page follows: as many as fit until `due`, at least one, none after `end`.
export function updatesUntil(
  due: number,
  speed: number | null,
  position: number,
  end: number,
  now = performance.now(),
): number {
  const fitting = speed === null ? 1 : Math.ceil((speed * (due - now)) / 1000);
  return Math.max(1, Math.min(fitting, end - position));
}

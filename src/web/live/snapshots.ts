// Moments of training to which one can return: those that the page has made, and those that came with it.
import { Refusal } from "../engine/calls";
import type { Engine } from "../engine/protocol";

type Restoring = Pick<Engine, "restore">;

export interface Snapshot {
  update: number;
  name: string | null; // of one that came with the page; null: the page has made it
  bytes(): Promise<Uint8Array>;
}

/// Where the header of src/session/snapshot.cpp has the progress of training, in bytes.
const UPDATE = 24;
const SKIPPED = 48;

interface Progress {
  update: number;
  skipped: number; // how many of the updates until there were skipped
}

function progressOf(bytes: Uint8Array): Progress {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = (at: number) => Number(header.getBigInt64(at, true));
  return { update: number(UPDATE), skipped: number(SKIPPED) };
}

/// A snapshot that cannot be used. The message says which one, and why.
export class RefusedSnapshot extends Error {}

const refusal = ({ update }: Snapshot, reason: string) =>
  new RefusedSnapshot(`The snapshot of update ${update} cannot be used, so the page leaves it out. ${reason}.`);

/// Takes the engine to a snapshot, and returns where it is then. If the engine refuses the snapshot, it stays where it is.
export async function restoreSnapshot(engine: Restoring, snapshot: Snapshot): Promise<Progress> {
  const bytes = await snapshot.bytes();
  try {
    await engine.restore(bytes);
  } catch (problem) {
    throw problem instanceof Refusal ? refusal(snapshot, problem.message) : problem;
  }
  return progressOf(bytes);
}

/// After restoreSnapshot(): that the snapshot was of the update that it is for.
export function checkUpdate(snapshot: Snapshot, { update }: Progress): void {
  if (update !== snapshot.update) throw refusal(snapshot, `snapshot: it is of update ${update}`);
}

/// Snapshots that came with the page. The last one is where training ended: "end of the run". The untrained model is not
/// among them: the page makes it.
export const shippedSnapshots = (list: Omit<Snapshot, "name">[], end: string): Snapshot[] =>
  list
    .map((one, i) => ({
      ...one,
      name: i === list.length - 1 ? `${end}, update ${one.update}` : `update ${one.update}`,
    }))
    .filter(({ update }) => update > 0);

/// Two lists as one, in order of updates. Of the same update, the first list's stays.
export function mergeSnapshots(first: Snapshot[], second: Snapshot[]): Snapshot[] {
  const others = second.filter(({ update }) => first.every((one) => one.update !== update));
  return [...first, ...others].sort((a, b) => a.update - b.update);
}

// What can come with the page: snapshots of the toy, and a run of the reader's.
import { messageOf } from "../base/message";
import type { Setting } from "../engine/protocol";
import { notice } from "./notice";
import { hasPageFile, readPageFile, readPageJson } from "../base/page_files";
import { checkRun, isMadeFrom, startOf } from "./run_file";
import { mergeSnapshots, shippedSnapshots, type Snapshot } from "./snapshots";
import { starts } from "./starts";

const TOY = "toy.json"; // {snapshots: [{update, file}, ...]}, which scripts/live_pages.py writes
const RUN = "run.json";

async function toySnapshots(): Promise<Snapshot[]> {
  const { snapshots } = (await readPageJson(TOY)) as { snapshots: { update: number; file: string }[] };
  const load = (file: string) => async () => new Uint8Array(await readPageFile(file));
  return shippedSnapshots(
    snapshots.map(({ update, file }) => ({ update, bytes: load(file) })),
    "end of training",
  );
}

const addToToy = (more: Snapshot[]) => {
  starts.value = starts.value.map((start) =>
    start.id === "toy" ? { ...start, snapshots: mergeSnapshots(more, start.snapshots ?? []) } : start,
  );
};

async function addRun(defaults: Setting[]): Promise<number> {
  const run = checkRun(await readPageJson(RUN));
  const own = startOf(run);
  const toy = starts.value.find(({ id }) => id === "toy")!;
  if (await isMadeFrom(toy, run.settings, run, defaults)) addToToy(own.snapshots!);
  else starts.value = [own, ...starts.value];
  return run.snapshots.at(-1)?.update ?? 0;
}

/// Adds what came with the page to the starts. Returns the update of the first start with which the page opens.
export async function addWhatCame(defaults: Setting[]): Promise<number> {
  try {
    if (hasPageFile(TOY)) addToToy(await toySnapshots());
    return hasPageFile(RUN) ? await addRun(defaults) : 0;
  } catch (problem) {
    notice.value = `What came with the page cannot be opened. ${messageOf(problem)}.`;
    return 0;
  }
}

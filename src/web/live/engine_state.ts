// The engine and the model that it has: what it was made from, and whether it is at work.
import { computed, signal } from "@preact/signals";
import type { About, Created, Setting, Text, Values } from "../engine/protocol";
import { startEngine } from "./engine_files";
import type { WorkerEngine } from "../engine/worker_engine";
import { sameSettings } from "./run_file";
import type { Snapshot } from "./snapshots";
import { STARTS, type Start } from "./starts";

export const engine = signal<WorkerEngine | null>(null);
export const about = signal<About | null>(null);
export const workers = signal(1);
/// All settings with their defaults.
export const defaults = signal<Setting[]>([]);

/// What the model was made from.
export const start = signal<Start>(STARTS[0]!);
export const values = signal<Values>({});
export const text = signal<Text>({ source: "", target: "" });
export const created = signal<Created | null>(null);
/// Snapshots of this model that came with the page.
export const shipped = signal<Snapshot[]>([]);
/// How many models there have been: each is a new one, even if it is made from the same.
export const generation = signal(0);

/// What went wrong last, in the engine's words.
export const error = signal<string | null>(null);
/// What the engine is doing: "training", "computing a pass"; null: it waits.
export const work = signal<string | null>(null);
export const busy = computed(() => work.value !== null);

/// Ends training, so that the engine can do something else.
let endTraining = () => {};
export const setEndTraining = (end: () => void) => (endTraining = end);

let last: Promise<unknown> = Promise.resolve();

/// Runs something on the engine after all that was asked for before. Returns null if it was refused; `error` says why.
export function run<Result>(what: string, task: (engine: WorkerEngine) => Promise<Result>): Promise<Result | null> {
  const next = last.then(async () => {
    work.value = what;
    try {
      const result = await task(engine.value!);
      error.value = null;
      return result;
    } catch (problem) {
      error.value = problem instanceof Error ? problem.message : String(problem);
      return null;
    } finally {
      work.value = null;
    }
  });
  last = next;
  return next;
}

/// Starts the engine, in as many workers.
export async function startWorkers(count: number): Promise<void> {
  engine.value?.end();
  workers.value = count;
  const { started, description } = await startEngine(count);
  engine.value = started;
  about.value = description;
  defaults.value = await started.settings();
}

/// Replaces the engine by one in as many workers, once it has done something. If that is refused, the old one stays.
async function replace<Result>(count: number, task: (engine: WorkerEngine) => Promise<Result>): Promise<Result> {
  const { started, description } = await startEngine(count);
  let result: Result;
  try {
    result = await task(started);
  } catch (problem) {
    started.end();
    throw problem;
  }
  engine.value!.end();
  engine.value = started;
  about.value = description;
  workers.value = count;
  return result;
}

/// Lets as many workers go on with the model as it is.
export async function changeWorkers(count: number): Promise<void> {
  await run(count === 1 ? "starting a worker" : `starting ${count} workers`, async (old) => {
    const bytes = await old.snapshot();
    await replace(count, async (started) => {
      await started.create(values.value, text.value);
      await started.restore(bytes);
    });
  });
}

/// Makes a new model. Values of keys that a page does not have (files, validation) are left out. Each worker needs a
/// shard, so a model with fewer shards gets fewer workers.
export async function create(from: Start, changed: Values = {}, ownText?: Text): Promise<boolean> {
  const known = new Set(defaults.value.map(({ key }) => key));
  const own = Object.entries(from.values).filter(([key]) => known.has(key));
  const all = { ...Object.fromEntries(own), ...changed };
  const lines = ownText ?? (await from.text());
  endTraining();
  const shards = Number(all["training.shards"] ?? workers.value);
  const make = (engine: WorkerEngine) => engine.create(all, lines);
  const made = await run("making the model", (engine) =>
    Number.isInteger(shards) && shards >= 1 && shards < workers.value ? replace(shards, make) : make(engine),
  );
  if (!made) return false;
  start.value = from;
  values.value = all;
  text.value = lines;
  created.value = made;
  const isUnchanged = !ownText && sameSettings(all, from.values, defaults.value);
  shipped.value = isUnchanged ? (from.snapshots ?? []) : [];
  generation.value += 1;
  return true;
}

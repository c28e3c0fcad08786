// The engine and the model that it has: what it was made from, and whether it is at work.
import { batch, computed, signal } from "@preact/signals";
import type { About, Created, Setting, Text, Values } from "../engine/protocol";
import { messageOf } from "../base/message";
import { startEngine, type StartedEngine } from "./engine_files";
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

/// Ends what a new model makes useless, so that the engine is free for it.
const endings: (() => void)[] = [];
export const beforeNewModel = (end: () => void) => void endings.push(end);

/// Takes an engine that has the untrained model as far as possible towards where the last one was.
type Resume = (engine: WorkerEngine) => Promise<void>;
let resume: Resume = async () => {};
export const setResume = (next: Resume) => (resume = next);

const MOST_RESTARTS = 3; // of one model: whatever ends its engine again and again must not do so for ever
let restarts = 0;

let last: Promise<unknown> = Promise.resolve();
let refusedTask: string | null = null; // to which `error` belongs

/// Runs something on the engine after all that was asked for before. Returns null if it was refused; `error` says why,
/// until the reader starts something else or the same is done after all.
export function run<Result>(what: string, task: (engine: WorkerEngine) => Promise<Result>): Promise<Result | null> {
  const next = last.then(async () => {
    work.value = what;
    try {
      if (!engine.value) throw new Error("the engine has not started");
      const result = await task(engine.value);
      if (refusedTask === what) clearError();
      return result;
    } catch (problem) {
      error.value = messageOf(problem);
      refusedTask = what;
      return null;
    } finally {
      if (engine.value?.failure) await restart(engine.value.failure);
      work.value = null;
    }
  });
  last = next;
  return next;
}

/// The reader starts something: what went wrong before is over.
export function clearError(): void {
  error.value = null;
  refusedTask = null;
}

/// The engine has stopped: another one goes on with the model.
async function restart(failure: Error): Promise<void> {
  work.value = "starting again";
  refusedTask = null; // the same, done again, must not clear the message
  try {
    if (++restarts > MOST_RESTARTS) throw failure;
    const again = await startWith(workers.value, async (engine) => {
      if (!created.value) return;
      await engine.create(values.value, text.value);
      await resume(engine);
    });
    adopt(workers.value, again);
    error.value = `the engine stopped (${failure.message}), so the page has started it again from the last snapshot`;
  } catch {
    error.value = `the engine stopped (${failure.message}); reload the page to go on`;
  }
}

/// Starts the engine, in as many workers.
export async function startWorkers(count: number): Promise<void> {
  const next = await startEngine(count);
  defaults.value = await next.started.settings();
  adopt(count, next);
}

/// Starts another engine, in as many workers, once it has done something. If that is refused, it ends.
async function startWith<Result>(
  count: number,
  task: (engine: WorkerEngine) => Promise<Result>,
): Promise<StartedEngine & { result: Result }> {
  const next = await startEngine(count);
  try {
    return { ...next, result: await task(next.started) };
  } catch (problem) {
    next.started.end();
    throw problem;
  }
}

/// The page's engine is this one from now on.
function adopt(count: number, { started, description }: StartedEngine): void {
  engine.peek()?.end();
  batch(() => {
    engine.value = started;
    about.value = description;
    workers.value = count;
  });
}

/// Lets as many workers go on with the model as it is.
export async function changeWorkers(count: number): Promise<void> {
  clearError();
  await run(count === 1 ? "starting a worker" : `starting ${count} workers`, async (old) => {
    const bytes = await old.snapshot();
    const next = await startWith(count, async (engine) => {
      await engine.create(values.value, text.value);
      await engine.restore(bytes);
    });
    adopt(count, next);
  });
}

/// Makes a new model. Values of keys that a page does not have (files, validation) are left out. Each worker needs a
/// shard, so a model with fewer shards gets fewer workers.
export async function create(from: Start, changed: Values = {}): Promise<boolean> {
  clearError();
  const all = { ...knownValues(from.values, defaults.value), ...changed };
  for (const end of endings) end();
  const made = await run("making the model", async (engine) => {
    const lines = await from.text();
    const make = (engine: WorkerEngine) => engine.create(all, lines);
    const shards = Number(all["training.shards"] ?? workers.value);
    const isFewer = Number.isInteger(shards) && shards >= 1 && shards < workers.value;
    const next = isFewer ? await startWith(shards, make) : null;
    const result = next?.result ?? (await make(engine));
    batch(() => {
      if (next) adopt(shards, next);
      begin(from, all, lines, result);
    });
    return true;
  });
  return made ?? false;
}

/// The values of the keys that an engine knows.
export function knownValues(values: Values, settings: Setting[]): Values {
  const known = new Set(settings.map(({ key }) => key));
  return Object.fromEntries(Object.entries(values).filter(([key]) => known.has(key)));
}

function begin(from: Start, all: Values, lines: Text, made: Created): void {
  restarts = 0;
  start.value = from;
  values.value = all;
  text.value = lines;
  created.value = made;
  shipped.value = sameSettings(all, from.values, defaults.value) ? (from.snapshots ?? []) : [];
  generation.value += 1;
}

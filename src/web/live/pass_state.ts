// The pass that the page shows: its sentences, its masks, the heads that are on, and the trace that follows from them and
// from the model's weights.
import { batch, effect, signal } from "@preact/signals";
import type { Masks, Pair, SearchTree } from "../engine/protocol";
import type { WorkerEngine } from "../engine/worker_engine";
import { Trace } from "../trace/trace";
import { created, engine, generation, run, start } from "./engine_state";
import { hasHead } from "./link_fits";
import { position, running, setFollower } from "./training_state";

export const pairs = signal<Pair[]>(start.peek().pairs);
/// Changed masks; null: the model's own.
export const masks = signal<Masks | null>(null);
/// Heads that are off, such as "decoder.layers.0.encoder_attn 1".
export const headsOff = signal<string[]>([]);
/// Null until the first pass has been computed.
export const trace = signal<Trace | null>(null);
/// The same pass under the model's own masks and with all heads, if the reader has changed any; otherwise null.
export const unchanged = signal<Trace | null>(null);
/// How the model translates the sentences by itself, by greedy search; and with all heads, if some are off.
export const freeRuns = signal<SearchTree[]>([]);
export const unchangedRuns = signal<SearchTree[] | null>(null);
/// The update whose weights computed the trace. While the model trains, the trace follows at some distance.
export const tracedUpdate = signal(0);

/// The sentences and the masks of `trace`.
export const traced = signal<{ pairs: Pair[]; masks: Masks | null } | null>(null);

/// Earlier masks, and later ones that undo() has left.
const earlier = signal<(Masks | null)[]>([]);
const later = signal<(Masks | null)[]>([]);
export const canUndo = () => earlier.value.length > 0;
export const canRedo = () => later.value.length > 0;

/// Shows other sentences. The masks are the model's own again, because they belong to a batch.
export function showPairs(next: Pair[]): void {
  batch(() => {
    earlier.value = [];
    later.value = [];
    masks.value = null;
    pairs.value = next;
  });
}

/// Changes the masks; undo() takes it back.
export function changeMasks(next: Masks | null): void {
  batch(() => {
    earlier.value = [...earlier.peek(), masks.peek()];
    later.value = [];
    masks.value = next;
  });
}

export const undo = (): void => moveInHistory(earlier, later);
export const redo = (): void => moveInHistory(later, earlier);

function moveInHistory(from: typeof earlier, to: typeof earlier): void {
  const list = from.peek();
  if (list.length === 0) return;
  batch(() => {
    to.value = [...to.peek(), masks.peek()];
    masks.value = list.at(-1)!;
    from.value = list.slice(0, -1);
  });
}

/// The last pass under the model's own masks and with all heads: of these sentences, at this update of this model, by
/// this engine.
interface OwnPass {
  of: [pairs: Pair[], update: number, generation: number, engine: WorkerEngine];
  trace: Trace;
  runs: SearchTree[];
}
let ownPass: OwnPass | null = null;

/// A beam that stops when its only hypothesis has ended.
const GREEDY = { "decoding.beam": "1", "decoding.early_stopping": "true" };

/// One sentence after another, so that each keeps its probabilities.
async function runFreely(engine: WorkerEngine, sentences: Pair[]): Promise<SearchTree[]> {
  const runs: SearchTree[] = [];
  for (const { source } of sentences) runs.push(await engine.search_tree(source, GREEDY));
  return runs;
}

async function ownPassOf(engine: WorkerEngine, of: OwnPass["of"]): Promise<OwnPass> {
  if (ownPass && ownPass.of.every((part, i) => part === of[i])) return ownPass;
  await engine.turn_off_heads([]);
  ownPass = { of, trace: new Trace(await engine.trace(of[0])), runs: await runFreely(engine, of[0]) };
  return ownPass;
}

async function compute(engine: WorkerEngine): Promise<void> {
  const [shown, changed, off, update] = [pairs.peek(), masks.peek(), headsOff.peek(), position.peek()];
  const own = await ownPassOf(engine, [shown, update, generation.peek(), engine]);
  await engine.turn_off_heads(off);
  const isChanged = changed !== null || off.length > 0;
  const now = isChanged ? new Trace(await engine.trace(shown, changed ?? undefined)) : own.trace;
  const runs = off.length > 0 ? await runFreely(engine, shown) : own.runs;
  batch(() => {
    trace.value = now;
    traced.value = { pairs: shown, masks: changed };
    unchanged.value = isChanged ? own.trace : null;
    freeRuns.value = runs;
    unchangedRuns.value = off.length > 0 ? own.runs : null;
    tracedUpdate.value = update;
  });
}

/// While something is under way that ends with another pass, such as a new model that goes to an update at once.
const held = signal(0);

/// Does something that changes what the pass depends on, more than once. Only the last pass is computed, unless the model
/// trains meanwhile.
export async function withOnePass<Result>(task: () => Promise<Result>): Promise<Result> {
  held.value += 1;
  try {
    return await task();
  } finally {
    held.value -= 1;
  }
}

/// Computes the pass again whenever something it depends on has changed. Of several changes in a row, the last counts.
/// While the model trains, training says when; as soon as it stops, the pass is that of the last update.
let wanted = 0;
effect(() => {
  if (!created.value) return;
  void [pairs.value, masks.value, headsOff.value, generation.value, engine.value];
  if (held.value > 0 || running.value) return;
  void position.value;
  const number = ++wanted;
  void run("computing a pass", async (engine) => {
    if (number === wanted && !running.peek()) await compute(engine);
  });
});
setFollower(compute);

/// Runs something that the heads which are off change, like the pass that the page shows.
export const runShown = <Result>(
  what: string,
  task: (engine: WorkerEngine) => Promise<Result>,
): Promise<Result | null> =>
  run(what, async (engine) => {
    await engine.turn_off_heads(headsOff.peek());
    return task(engine);
  });

/// A new model begins with the sentences of its start, unless it is only another model for the same text. Then heads
/// that it does not have are forgotten.
let lastStart = start.peek();
effect(() => {
  void generation.value;
  if (start.value === lastStart) {
    const values = Object.fromEntries((created.peek()?.settings ?? []).map(({ key, value }) => [key, value]));
    const kept = headsOff.peek().filter((head) => hasHead(head, values));
    if (kept.length < headsOff.peek().length) headsOff.value = kept;
    return;
  }
  lastStart = start.value;
  headsOff.value = [];
  showPairs(start.value.pairs);
});

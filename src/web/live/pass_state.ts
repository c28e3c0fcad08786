// The pass that the page shows: its sentences, its masks, the heads that are on, and the trace that follows from them and
// from the model's weights.
import { batch, effect, signal } from "@preact/signals";
import type { Masks, Pair, SearchTree } from "../engine/protocol";
import type { WorkerEngine } from "../engine/worker_engine";
import { Trace } from "../trace/trace";
import { created, generation, run, start } from "./engine_state";
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

const history = signal<(Masks | null)[]>([]);
export const canUndo = () => history.value.length > 0;

/// Shows other sentences. The masks are the model's own again, because they belong to a batch.
export function showPairs(next: Pair[]): void {
  history.value = [];
  masks.value = null;
  pairs.value = next;
}

/// Changes the masks; undo() takes it back.
export function changeMasks(next: Masks | null): void {
  history.value = [...history.value, masks.peek()];
  masks.value = next;
}

export function undo(): void {
  const earlier = history.value;
  if (earlier.length === 0) return;
  masks.value = earlier.at(-1)!;
  history.value = earlier.slice(0, -1);
}

/// A beam that stops when its only hypothesis has ended.
const GREEDY = { "decoding.beam": "1", "decoding.early_stopping": "true" };

/// One sentence after another, so that each keeps its probabilities.
async function runFreely(engine: WorkerEngine, sentences: Pair[]): Promise<SearchTree[]> {
  const runs: SearchTree[] = [];
  for (const { source } of sentences) runs.push(await engine.search_tree(source, GREEDY));
  return runs;
}

async function compute(engine: WorkerEngine): Promise<void> {
  const [shown, changed, off, update] = [pairs.peek(), masks.peek(), headsOff.peek(), position.peek()];
  let before: Trace | null = null;
  let runsBefore: SearchTree[] | null = null;
  if (changed !== null || off.length > 0) {
    await engine.turn_off_heads([]);
    before = new Trace(await engine.trace(shown));
    if (off.length > 0) runsBefore = await runFreely(engine, shown);
  }
  await engine.turn_off_heads(off);
  const now = new Trace(await engine.trace(shown, changed ?? undefined));
  const runs = await runFreely(engine, shown);
  batch(() => {
    trace.value = now;
    unchanged.value = before;
    freeRuns.value = runs;
    unchangedRuns.value = runsBefore;
    tracedUpdate.value = update;
  });
}

/// Computes the pass again whenever something it depends on has changed. Of several changes in a row, the last counts.
/// While the model trains, training says when; as soon as it stops, the pass is that of the last update.
let wanted = 0;
effect(() => {
  if (!created.value) return;
  void [pairs.value, masks.value, headsOff.value, generation.value];
  if (running.value) return;
  void position.value;
  const number = ++wanted;
  void run("computing a pass", async (engine) => {
    if (number === wanted && !running.peek()) await compute(engine);
  });
});
setFollower(compute);

/// A new model begins with the sentences of its start, unless it is only another model for the same text.
let lastStart = start.peek();
effect(() => {
  void generation.value;
  if (start.value === lastStart) return;
  lastStart = start.value;
  headsOff.value = [];
  showPairs(start.value.pairs);
});

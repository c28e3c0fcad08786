// The pass that the page shows: its sentences, its masks, the heads that are on, and the trace that follows from them and
// from the model's weights.
import { effect, signal } from "@preact/signals";
import type { Masks, Pair } from "../engine/protocol";
import { Trace } from "../trace/trace";
import { created, generation, run, start } from "./engine_state";
import { position } from "./training_state";

export const pairs = signal<Pair[]>(start.peek().pairs);
/// Changed masks; null: the model's own.
export const masks = signal<Masks | null>(null);
/// Heads that are off, such as "decoder.layers.0.encoder_attn 1".
export const headsOff = signal<string[]>([]);
/// Null until the first pass has been computed.
export const trace = signal<Trace | null>(null);
/// The same pass under the model's own masks and with all heads, if the reader has changed any; otherwise null.
export const unchanged = signal<Trace | null>(null);

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

/// Computes the pass again whenever something it depends on has changed. Of several changes in a row, the last counts.
let wanted = 0;
effect(() => {
  if (!created.value) return;
  const [number, shown, changed, off] = [++wanted, pairs.value, masks.value, headsOff.value];
  void [position.value, generation.value];
  void run("computing a pass", async (engine) => {
    if (number !== wanted) return;
    const isChanged = changed !== null || off.length > 0;
    if (isChanged) {
      await engine.turn_off_heads([]);
      unchanged.value = new Trace(await engine.trace(shown));
    }
    await engine.turn_off_heads(off);
    trace.value = new Trace(await engine.trace(shown, changed ?? undefined));
    if (!isChanged) unchanged.value = null;
  });
});

/// A new model begins with the sentences of its start, unless it is only another model for the same text.
let lastStart = start.peek();
effect(() => {
  void generation.value;
  if (start.value === lastStart) return;
  lastStart = start.value;
  headsOff.value = [];
  showPairs(start.value.pairs);
});

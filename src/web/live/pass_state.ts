// The pass that the page shows: its sentences, its masks, the heads that are on, and the trace that follows from them and
// from the model's weights.
import { batch, effect, signal } from "@preact/signals";
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

/// The last pass under the model's own masks and with all heads, of these sentences, at this update of this model.
interface OwnPass {
  of: [pairs: Pair[], position: number, generation: number];
  trace: Trace;
}
let ownPass: OwnPass | null = null;

/// Computes the pass again whenever something it depends on has changed. Of several changes in a row, the last counts.
let wanted = 0;
effect(() => {
  if (!created.value) return;
  const [number, shown, changed, off] = [++wanted, pairs.value, masks.value, headsOff.value];
  const of: OwnPass["of"] = [shown, position.value, generation.value];
  void run("computing a pass", async (engine) => {
    if (number !== wanted) return;
    await engine.turn_off_heads([]);
    if (!ownPass || ownPass.of.some((part, i) => part !== of[i])) {
      ownPass = { of, trace: new Trace(await engine.trace(shown)) };
    }
    await engine.turn_off_heads(off);
    const isChanged = changed !== null || off.length > 0;
    const next = isChanged ? new Trace(await engine.trace(shown, changed ?? undefined)) : ownPass.trace;
    batch(() => {
      trace.value = next;
      traced.value = { pairs: shown, masks: changed };
      unchanged.value = isChanged ? ownPass!.trace : null;
    });
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

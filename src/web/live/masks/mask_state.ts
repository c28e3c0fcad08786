// What the reader does with the masks. Every change is one step of the history, which undo and redo walk through.
import { signal } from "@preact/signals";
import { range } from "../../base/numbers";
import type { Masks } from "../../engine/protocol";
import { ATTENTION_KINDS } from "../../trace/names";
import type { Trace } from "../../trace/trace";
import type { AttentionKind, LayerMask } from "../../trace/types";
import { changeMasks, masks, pairs, trace, traced } from "../pass_state";
import { changedMasks, differences, fits, flip, isBlocked, ownMasks, withCells, type Reach } from "./mask_cells";

/// How much a click flips.
export const reach = signal<Reach>("cell");
export const inAllSentences = signal(false);

const own = new WeakMap<Trace, Masks>();

/// The model's own masks for the batch of a trace.
export function ownMasksOf(of: Trace): Masks {
  if (!own.has(of)) own.set(of, ownMasks(of));
  return own.get(of)!;
}

/// The masks that are asked for: those of the trace, or newer ones.
const current = (of: Trace): Masks => {
  const asked = masks.peek();
  return asked && fits(asked, of) ? asked : ownMasksOf(of);
};

/// Asks for other masks, unless the reader has just asked for other sentences, which these masks do not fit.
export function ask(change: (of: Trace, now: Masks) => Masks): void {
  const of = trace.peek();
  if (!of || traced.peek()?.pairs !== pairs.peek()) return;
  const now = current(of);
  const next = change(of, now);
  if (changedMasks(now, next).length === 0) return;
  changeMasks(changedMasks(next, ownMasksOf(of)).length > 0 ? next : null);
}

const sentences = (of: Trace, chosen: number): number[] => (inAllSentences.peek() ? range(of.sentences) : [chosen]);

export const flipAt = (kind: AttentionKind, sentence: number, query: number, key: number): void =>
  ask((of, now) => {
    const place = { sentence, query, key };
    return flip(now, ATTENTION_KINDS[kind].mask, sentences(of, sentence), place, reach.peek());
  });

export const setAll = (name: LayerMask, sentence: number, blocked: boolean): void =>
  ask((of, now) => withCells(now, name, sentences(of, sentence), () => blocked));

/// Makes one mask the model's own again.
export const restoreMask = (name: LayerMask, chosen: number): void =>
  ask((of, now) =>
    withCells(now, name, sentences(of, chosen), ({ sentence, query, key }) =>
      isBlocked(ownMasksOf(of)[name], sentence, query, key),
    ),
  );

/// How many cells of a mask differ from the model's own, in the trace that is shown.
export function changesOf(of: Trace, name: LayerMask, sentence: number): number {
  const shown = traced.value?.masks;
  return shown && fits(shown, of) ? differences(shown, ownMasksOf(of), name, [sentence]) : 0;
}

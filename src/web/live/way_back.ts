// A chapter's link replaces the reader's model by the course's. Meanwhile the page keeps the reader's: what it was made
// from, its weights, its curves and snapshots, the sentences, the masks, and the heads that are off.
import { batch, effect, signal } from "@preact/signals";
import type { Masks, Pair, Values } from "../engine/protocol";
import { create, created, generation, run, start, values } from "./engine_state";
import { headsOff, masks, pairs, showPairs } from "./pass_state";
import { questionsOffForNow, questionsOn } from "./questions_state";
import { choices } from "./route";
import { mergeSnapshots, type Snapshot } from "./snapshots";
import type { Start } from "./starts";
import { goTo, position, snapshots, trainedFor, updates } from "./training_state";
import type { UpdateLog } from "./update_log";

interface Place {
  start: Start;
  values: Values;
  update: number;
  snapshots: Snapshot[]; // one of them of this update
  updates: UpdateLog;
  trainedFor: number;
  pairs: Pair[];
  masks: Masks | null;
  headsOff: string[];
  sentence: number;
  step: number;
  questions: boolean;
}

/// The reader's place, while the page has the model of the course; otherwise null.
export const wayBack = signal<Place | null>(null);
let visited = 0; // the generation of the course's model

effect(() => {
  if (generation.value !== visited) wayBack.value = null; // the reader has made another model
});

/// Where the reader is, or would go back to. Null: there is no model yet.
export async function placeToReturnTo(): Promise<Place | null> {
  if (wayBack.value || !created.value) return wayBack.value;
  return run("keeping your model", async (engine) => {
    const bytes = await engine.snapshot();
    const own: Snapshot = { update: position.value, name: null, bytes: () => Promise.resolve(bytes) };
    return {
      start: start.value,
      values: values.value,
      update: position.value,
      snapshots: mergeSnapshots(snapshots.value, own.update > 0 ? [own] : []),
      updates: updates.value,
      trainedFor: trainedFor.value,
      pairs: pairs.value,
      masks: masks.value,
      headsOff: headsOff.value,
      sentence: choices.sentence.value,
      step: choices.step.value,
      questions: questionsOn.value,
    };
  });
}

/// The model that the page has now is the course's.
export function beginVisit(place: Place): void {
  batch(() => {
    visited = generation.value;
    wayBack.value = place;
  });
}

/// Makes the reader's model again, and takes it to the same update. `isLatest`: nothing else has been opened since.
export async function returnTo(place: Place, isLatest: () => boolean): Promise<void> {
  const made = await create(place.start, place.values);
  if (!made || !isLatest()) return;
  batch(() => {
    snapshots.value = place.snapshots;
    updates.value = place.updates;
    trainedFor.value = place.trainedFor;
    showPairs(place.pairs);
    masks.value = place.masks;
    headsOff.value = place.headsOff;
    choices.sentence.value = place.sentence;
    choices.step.value = place.step;
    if (place.questions) questionsOffForNow(false);
  });
  await goTo(place.update);
}

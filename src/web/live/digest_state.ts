// The digest of all weights, as long as the reader looks at it.
import { computed, effect, signal } from "@preact/signals";
import digests from "source:data/toy/digests.txt";
import { created, defaults, engine, generation, run, start, text, values } from "./engine_state";
import { compareDigests, digestsOf, updatesWithDigests, type Comparison } from "./expected_digests";
import { isMadeFrom } from "./run_file";
import { position, running } from "./training_state";

interface Digest {
  update: number;
  digest: string;
  comparison: Comparison | null; // with the program's own run, if it is known
}

/// Whether the reader has asked for it, and whether its place is on the page.
export const isOpen = signal(false);
export const isShown = signal(false);
export const shown = signal<Digest | null>(null);
/// The updates whose digests are known; null: the model is not made from the toy.
export const knownUpdates = computed(() => (start.value.id === "toy" ? updatesWithDigests(digests, "toy") : null));

/// The program's digests after an update, if the model is made as `train configs/toy.yaml` makes it.
async function expectedAfter(update: number): Promise<Record<string, string> | null> {
  const isToy = start.value.id === "toy" && (await isMadeFrom(start.value, values.value, text.value, defaults.value));
  return isToy ? digestsOf(digests, "toy", update) : null;
}

let wanted = 0;
effect(() => {
  if (!isOpen.value || !isShown.value || !created.value || running.value) return;
  void [position.value, generation.value, engine.value];
  const number = ++wanted;
  void run("computing the digest", async (engine) => {
    if (number !== wanted) return;
    const update = position.peek();
    const expected = await expectedAfter(update);
    const digest = await engine.digest();
    const comparison = expected && compareDigests(expected, await engine.weight_digests());
    shown.value = { update, digest, comparison };
  });
});

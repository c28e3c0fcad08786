// The digest of all weights, to compare with other machines.
import { effect, signal } from "@preact/signals";
import digests from "source:data/toy/digests.txt";
import { created, generation, run, start, text, values } from "./engine_state";
import { compareDigests, digestsOf, updatesWithDigests, type Comparison } from "./expected_digests";
import { position, running } from "./training_state";
import "./digest_panel.css";

interface Shown {
  update: number;
  digest: string;
  comparison: Comparison | null; // with the program's own run, if it is known
}

const open = signal(false);
const shown = signal<Shown | null>(null);

/// Whether the model is made as `train configs/toy.yaml` makes it.
async function isToy(): Promise<boolean> {
  if (start.value.id !== "toy") return false;
  const same = Object.entries(values.value).every(([key, value]) => start.value.values[key] === value);
  const own = await start.value.text();
  return same && own.source === text.value.source && own.target === text.value.target;
}

effect(() => {
  if (!open.value || !created.value || running.value) return;
  void [position.value, generation.value];
  void run("computing the digest", async (engine) => {
    const update = position.peek();
    const expected = (await isToy()) ? digestsOf(digests, "toy", update) : null;
    const digest = await engine.digest();
    const comparison = expected && compareDigests(expected, await engine.weight_digests());
    shown.value = { update, digest, comparison };
  });
});

export function DigestPanel() {
  const { update, digest, comparison } = shown.value ?? { update: 0, digest: "", comparison: null };
  return (
    <>
      <button type="button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        {open.value ? "Hide the digest" : "Show the digest"}
      </button>
      {open.value && digest && (
        <div class="digest" role="status">
          <p class="digest-update">update {update}</p>
          <p class="digest-value">
            <code>{digest.match(/.{4}/g)!.join(" ")}</code>
          </p>
          <p>
            This is a digest of every bit of every weight. It is the same on every machine in the room that started the
            same model and made the same number of updates. {comparisonText(comparison)}
          </p>
        </div>
      )}
    </>
  );
}

function comparisonText(comparison: Comparison | null): string {
  const known = updatesWithDigests(digests, "toy").join(", ");
  if (!comparison)
    return start.value.id === "toy"
      ? `For updates ${known} of the unchanged toy, the page also compares the weights with the program’s.`
      : "";
  const { equal, all } = comparison;
  if (equal === all) return `All ${all} tensors are exactly those that the program computes (data/toy/digests.txt).`;
  return `Only ${equal} of ${all} tensors are those that the program computes (data/toy/digests.txt).`;
}

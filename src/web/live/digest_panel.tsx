// The digest of all weights, to compare with other machines.
import { useEffect } from "preact/hooks";
import { isOpen, isShown, knownUpdates, shown } from "./digest_state";
import type { Comparison } from "./expected_digests";
import "./digest_panel.css";

export function DigestPanel() {
  const { update, digest, comparison } = shown.value ?? { update: 0, digest: "", comparison: null };
  useEffect(() => {
    isShown.value = true;
    return () => void (isShown.value = false);
  }, []);
  return (
    <>
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {isOpen.value ? "Hide the digest" : "Show the digest"}
      </button>
      {isOpen.value && digest && (
        <div class="digest" role="status">
          <p class="digest-update">update {update}</p>
          <p class="digest-value">
            <code>{digest.match(/.{4}/g)!.join(" ")}</code>
          </p>
          <p>
            This is a digest of every bit of every weight. It is the same on every machine that started the same model
            and made the same number of updates. {comparisonText(comparison)}
          </p>
        </div>
      )}
    </>
  );
}

function comparisonText(comparison: Comparison | null): string {
  if (!comparison)
    return knownUpdates.value
      ? `For updates ${knownUpdates.value.join(", ")} of the unchanged toy, the page also compares the weights with the program’s.`
      : "";
  const { equal, all } = comparison;
  if (equal === all) return `All ${all} tensors are exactly those that the program computes (data/toy/digests.txt).`;
  return `Only ${equal} of ${all} tensors are those that the program computes (data/toy/digests.txt).`;
}

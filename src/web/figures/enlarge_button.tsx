import type { Signal } from "@preact/signals";
import "./enlarge_button.css";

/// The button of one map, or of several side by side that share the signal.
export function EnlargeButton({ enlarged }: { enlarged: Signal<boolean> }) {
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={enlarged.value}
      onClick={() => (enlarged.value = !enlarged.value)}
    >
      {enlarged.value ? "Fit to width" : "Show numbers"}
    </button>
  );
}

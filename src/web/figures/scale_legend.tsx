import type { ReadonlySignal } from "@preact/signals";
import { formatNumber } from "../base/numbers";
import { powerOf, type Scale } from "./scale";
import "./scale_legend.css";

interface Props {
  scale: Scale;
  numbersShown: ReadonlySignal<boolean>; // whether the cells are large enough for numbers
}

/// A bar with the colours of a scale, and the scale's limits at its ends.
export function ScaleLegend({ scale, numbersShown }: Props) {
  const power = powerOf(scale);
  return (
    <span class="scale">
      <span>{formatNumber(scale.kind === "signed" ? -scale.limit : 0, 3)}</span>
      <span class={`scale-bar ${scale.kind}`} aria-hidden="true" />
      <span>{formatNumber(scale.limit, 3)}</span>
      {power !== 0 && numbersShown.value && (
        <span class="note">
          numbers in cells: × 10<sup>{String(power).replace("-", "−")}</sup>
        </span>
      )}
    </span>
  );
}

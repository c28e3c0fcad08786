import { formatNumber } from "../base/numbers";
import { powerOf, type Scale } from "./scale";
import "./scale_legend.css";

/// A bar with the colours of a scale, and the scale's limits at its ends.
export function ScaleLegend({ scale }: { scale: Scale }) {
  const power = powerOf(scale);
  return (
    <span class="scale">
      <span>{formatNumber(scale.kind === "signed" ? -scale.limit : 0, 3)}</span>
      <span class={`scale-bar ${scale.kind}`} aria-hidden="true" />
      <span>{formatNumber(scale.limit, 3)}</span>
      {power !== 0 && (
        <span class="note">
          cell values × 10<sup>{String(power).replace("-", "−")}</sup>
        </span>
      )}
    </span>
  );
}

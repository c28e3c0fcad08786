import "./hatch_legend.css";

/// The legend of the hatching. The style sheet draws the same patterns as the maps. `neither`: what a cell that is
/// blocked for neither of the usual reasons means, if there may be such cells. `flipped`: the reader has flipped cells.
export function HatchLegend({ neither, flipped = false }: { neither?: string; flipped?: boolean }) {
  const kinds = {
    ...{ future: "the key is in the future", padding: "the key is padding", both: "both", neither },
    ...(flipped ? { reader: "you blocked it", opened: "not blocked: you opened it" } : {}),
  };
  return (
    <p class="hatch-legend">
      Why a cell is blocked:{" "}
      {Object.entries(kinds).map(
        ([kind, words]) =>
          words && (
            <span key={kind}>
              <span class={`hatch ${kind}`} aria-hidden="true" /> {words}
            </span>
          ),
      )}
    </p>
  );
}

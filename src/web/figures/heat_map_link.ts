// Connects a heat map with the other maps of a step and with the formula of the number that is explained.
import { effect } from "@preact/signals";
import { sameRef, type CellRef } from "../trace/terms/expression";
import type { Cell } from "./heat_map_layout";
import { marksOf } from "./heat_map_marks";
import type { MapView } from "./heat_map_view";
import { globalCell, type MapLink } from "./pointing";

/// Follows what the reader points at in the step, until the function that it returns is called.
export function followLink(map: MapView, link: MapLink): () => void {
  const { pinned, chosen, asked } = link.pointing;
  goToPin(map, link);
  const stops = [
    effect(() => {
      map.marks = marksOf(link, map.shown.matrix.rows);
      // Of several maps that have had the cursor, only one shows it.
      map.isCursorShown = () => {
        const cell = map.cursor && globalCell(link, map.cursor);
        return sameRef(cell, pinned.peek()) || sameRef(cell, chosen.peek());
      };
      void [pinned.value, chosen.value]; // draws again when they change
      map.drawSoon();
    }),
    effect(() => {
      const wanted = asked.value && localCell(map, link, asked.value);
      if (!wanted) return;
      asked.value = null;
      map.hover = null;
      map.moveCursor(wanted);
      map.element.focus({ preventScroll: true });
      map.element.scrollIntoView({ block: "nearest" });
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function localCell(map: MapView, { tensor, firstRow }: MapLink, { row, col, ...of }: CellRef): Cell | null {
  const isShown = of.tensor === tensor && row >= firstRow && row < firstRow + map.shown.matrix.rows;
  return isShown ? { row: row - firstRow, col } : null;
}

/// Puts the cursor on the number that is explained. If the map now shows other rows than before, or another trace, which
/// may not have the number that was chosen, explains the number that is now under the cursor instead.
function goToPin(map: MapView, link: MapLink): void {
  const { pinned, chosen } = link.pointing;
  const cell = pinned.peek() && localCell(map, link, pinned.peek()!);
  if (cell) map.placeCursor(cell);
  else if (map.cursor && map.chosen && [pinned, chosen].some((one) => sameRef(one.peek(), map.chosen))) {
    map.moveCursor(map.cursor);
  }
}

// The keys that move the cursor of a heat map.
import type { Cells } from "../trace/matrix";
import type { Cell } from "./heat_map_layout";

/// The cell that a key moves the cursor to, or null if the key does not move it.
export function nextCell({ row, col }: Cell, { rows, cols }: Cells, event: KeyboardEvent): Cell | null {
  const page = Math.max(1, Math.round(rows / 8));
  const jump = event.ctrlKey || event.metaKey;
  const targets: Record<string, [row: number, col: number]> = {
    ArrowLeft: [row, jump ? 0 : col - 1],
    ArrowRight: [row, jump ? cols - 1 : col + 1],
    ArrowUp: [jump ? 0 : row - 1, col],
    ArrowDown: [jump ? rows - 1 : row + 1, col],
    Home: [jump ? 0 : row, 0],
    End: [jump ? rows - 1 : row, cols - 1],
    PageUp: [row - page, col],
    PageDown: [row + page, col],
  };
  const target = targets[event.key];
  if (!target || event.altKey) return null;
  const within = (place: number, count: number) => Math.max(0, Math.min(count - 1, place));
  return { row: within(target[0], rows), col: within(target[1], cols) };
}

// Hatching of blocked cells: one diagonal for the future, the other for padding, both for both, horizontal lines for
// neither. What the reader has changed is warm: upright lines for blocked, dots for opened.
import type { HatchKind } from "../trace/reasons";
import type { Palette } from "./palette";

type Hatch = HatchKind | "opened";
export type Hatching = (hatch: Hatch) => CanvasPattern;

const WAYS: Record<Hatch, string> = {
  future: "/",
  padding: "\\",
  both: "/\\",
  neither: "-",
  reader: "|",
  opened: ".",
};

function makeTile(ways: string, colour: string): HTMLCanvasElement {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const lines = tile.getContext("2d")!;
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    lines.moveTo(x0, y0);
    lines.lineTo(x1, y1);
  };
  lines.strokeStyle = lines.fillStyle = colour;
  for (const shift of [-6, 0, 6]) {
    if (ways.includes("/")) line(shift - 1, 7, shift + 7, -1);
    if (ways.includes("\\")) line(shift - 1, -1, shift + 7, 7);
  }
  if (ways.includes("-")) line(0, 3, 6, 3);
  if (ways.includes("|")) line(3, 0, 3, 6);
  if (ways.includes(".")) lines.fillRect(2, 2, 2, 2);
  lines.stroke();
  return tile;
}

/// All maps of a page share them.
const tiles = new Map<string, HTMLCanvasElement>();

function tileOf(hatch: Hatch, { hatch: usual, warm }: Palette): HTMLCanvasElement {
  const colour = hatch === "reader" || hatch === "opened" ? warm : usual;
  const key = `${hatch} ${colour}`;
  const tile = tiles.get(key) ?? makeTile(WAYS[hatch], colour);
  tiles.set(key, tile);
  return tile;
}

/// The patterns for one drawing. Each is made when it is needed.
export function hatching(context: CanvasRenderingContext2D, palette: Palette): Hatching {
  const made: Partial<Record<Hatch, CanvasPattern>> = {};
  return (hatch) => (made[hatch] ??= context.createPattern(tileOf(hatch, palette), "repeat")!);
}

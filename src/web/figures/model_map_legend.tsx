// The legend of the map: its hatching, and the letters of the shapes.
import type { Trace } from "../trace/trace";
import { hatchFill } from "./mask_thumbnail";
import { TiedBadge } from "./model_map_block";
import type { MapLayout } from "./model_map_layout";
import { sizesOf } from "./model_map_shapes";

interface Props {
  trace: Trace;
  layout: MapLayout;
  id: string; // of the hatching
}

const ROW = 13;
const ROWS = 4;
const SECOND = 113; // where the second column of letters begins

export function MapLegend({ trace, layout: { legend, ways }, id }: Props) {
  const letters = Object.entries(sizesOf(trace));
  const column = (i: number) => legend.x + (i * legend.width) / 2;
  const top = legend.y + ways[0]!.height + ROW;
  const place = (i: number) => ({ x: legend.x + (i < ROWS ? 0 : SECOND), y: top + (1.4 + (i % ROWS)) * ROW });
  return (
    <g class="map-legend" aria-hidden="true">
      {(["future", "padding"] as const).map((kind, i) => (
        <g key={kind}>
          <rect class="swatch" x={column(i)} y={top - 5} width={16} height={10} />
          <rect fill={hatchFill(id, kind)} x={column(i)} y={top - 5} width={16} height={10} />
          <text x={column(i) + 21} y={top}>
            {kind}
          </text>
        </g>
      ))}
      {letters.map(([letter, { size, meaning }], i) => (
        <text key={letter} {...place(i)}>
          <tspan class="letter">{letter}</tspan> {size} {meaning}
        </text>
      ))}
      {trace.json.model.tied_embeddings !== "none" && (
        <>
          <TiedBadge x={place(letters.length).x + 5} y={place(letters.length).y} />
          <text x={place(letters.length).x + 16} y={place(letters.length).y}>
            shared table
          </text>
        </>
      )}
    </g>
  );
}

// What lies behind the blocks of the map: the frames of the layers, the arrows, their shapes, and names beside blocks.
import type { Trace } from "../trace/trace";
import type { Block } from "./model_map_blocks";
import type { MapLayout, PlacedBlock } from "./model_map_layout";
import { shapeText } from "./model_map_shapes";
import { shapeLabels, wiresOf } from "./model_map_wires";
import "./model_map_wires.css";

interface Props {
  trace: Trace;
  layout: MapLayout;
  current: Block | undefined;
}

export function MapGround({ trace, layout, current }: Props) {
  const isCurrent = (side: string, layer: number) => current?.id.startsWith(`${side}.layers.${layer}.`);
  return (
    <g aria-hidden="true">
      {layout.frames.map(({ side, layer, ...box }) => (
        <g key={`${side} ${layer}`} class={isCurrent(side, layer) ? "map-frame here" : "map-frame"}>
          <rect {...box} rx={6} />
        </g>
      ))}
      {wiresOf(layout).map(({ kind, line, tip }) => (
        <g key={`${kind} ${line}`} class={`map-wire wire-${kind}`}>
          {kind !== "back" && <path class="halo" d={line} />}
          <path class="line" d={line} />
          <path class="tip" d={tip} />
        </g>
      ))}
      {shapeLabels(layout).map(({ x, y, side, axes }) => (
        <text key={`${x} ${y}`} class="map-shape" x={x} y={y} text-anchor={side === "encoder" ? "end" : "start"}>
          {shapeText(trace, axes)}
        </text>
      ))}
      <SideNotes layout={layout} />
    </g>
  );
}

const LINE = 12;

/// What stands beside a block, on the outside: its style, and its lines.
function sideNote({ id, kind }: PlacedBlock, layer: number | undefined): [style: string, ...lines: string[]] {
  if (id === "target_ids") return ["map-note-beside", "shifted", "right"];
  if (kind === "embedding") return ["map-side", id.split(".")[0]!];
  return kind === "feed_forward" ? ["map-note-beside", `layer ${layer}`] : [""];
}

function SideNotes({ layout: { encoder, decoder } }: { layout: MapLayout }) {
  return [...encoder, ...decoder].flatMap(({ side, layer, blocks }) =>
    blocks.map((block) => {
      const [style, ...lines] = sideNote(block, layer);
      const [x, anchor] =
        side === "encoder" ? ([block.x - 10, "end"] as const) : ([block.x + block.width + 10, "start"] as const);
      const top = block.y + block.height / 2 - ((lines.length - 1) * LINE) / 2;
      return lines.map((line, i) => (
        <text key={line} class={style} x={x} y={top + i * LINE} text-anchor={anchor}>
          {line}
        </text>
      ));
    }),
  );
}

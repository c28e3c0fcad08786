// A small picture of a mask: blocked cells are hatched as in the large maps.
import { useMemo } from "preact/hooks";
import type { HatchKind } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import type { AttentionKind } from "../trace/types";
import { maskRuns, type Run } from "./mask_runs";
import type { Box } from "./model_map_layout";
import "./mask_thumbnail.css";

const WAYS: Record<HatchKind, string> = {
  future: "M-1 5L5 -1",
  padding: "M-1 -1L5 5",
  both: "M-1 5L5 -1M-1 -1L5 5",
  neither: "M0 2H4",
  reader: "M2 0V4",
};
const HATCHES = Object.keys(WAYS) as HatchKind[];

export const hatchFill = (id: string, kind: HatchKind): string => `url(#${id}-${kind})`;

/// The patterns of the hatching, for drawings that name the same `id`.
export function HatchPatterns({ id }: { id: string }) {
  return (
    <defs>
      {HATCHES.map((kind) => (
        <pattern
          key={kind}
          id={`${id}-${kind}`}
          class="hatching"
          width={4}
          height={4}
          patternUnits="userSpaceOnUse"
          patternTransform="scale(1.5)"
        >
          <path d={WAYS[kind]} />
        </pattern>
      ))}
    </defs>
  );
}

interface Props {
  trace: Trace;
  kind: AttentionKind;
  sentence: number;
  box: Box; // the cells are square, so they may not fill it
  id: string; // of the patterns
}

export function MaskThumbnail({ trace, kind, sentence, box, id }: Props) {
  const { rows, cols, runs } = useMemo(() => maskRuns(trace, kind, sentence), [trace, kind, sentence]);
  const scale = Math.min(box.width / cols, box.height / rows);
  const [width, height] = [cols * scale, rows * scale];
  const place = { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height };
  return (
    <g class="mask-thumbnail">
      <rect class="visible-cells" {...place} />
      {HATCHES.map((hatch) => {
        const d = runs[hatch].map((run) => runPath(place, scale, run)).join("");
        return (
          d && (
            <g key={hatch}>
              <path class="blocked-cells" d={d} />
              <path fill={hatchFill(id, hatch)} d={d} />
            </g>
          )
        );
      })}
      <rect class="edge" {...place} />
    </g>
  );
}

const runPath = ({ x, y }: Box, scale: number, { row, col, count }: Run): string =>
  `M${x + col * scale} ${y + row * scale}h${count * scale}v${scale}h${-count * scale}z`;

// One block of the map: a link, or, if there is nothing to show, just a box.
import type { ComponentChildren } from "preact";
import { formatNumber } from "../base/numbers";
import type { Trace } from "../trace/trace";
import { titleOf } from "./model_map_blocks";
import type { PlacedBlock } from "./model_map_layout";
import { shapeText, weightAxes } from "./model_map_shapes";
import "./model_map_block.css";

interface Props {
  trace: Trace;
  block: PlacedBlock;
  step: number | undefined; // that it leads to
  address: string | undefined;
  here: false | "step" | "true";
  point: (text: string | null) => void;
  children?: ComponentChildren;
}

export function MapBlock({ trace, block, step, address, here, point, children }: Props) {
  const { kind, x, y, width, height } = block;
  const round = ["ids", "memory", "loss", "way_forward", "way_back"].includes(kind) ? height / 2 : 4;
  const names = ["map-block", `map-${kind}`, here && "here", !address && "left-out"];
  const text = describe(trace, block, step);
  const events = {
    onPointerEnter: () => point(text),
    onPointerLeave: () => point(null),
    onFocus: () => point(text),
    onBlur: () => point(null),
  };
  const content = (
    <>
      {kind !== "mask" && <rect class="box" rx={round} {...{ x, y, width, height }} />}
      {children}
      <BlockText trace={trace} block={block} />
      <rect class="outline" rx={round} {...{ x, y, width, height }} />
    </>
  );
  if (!address) return <g class={names.filter(Boolean).join(" ")}>{content}</g>;
  return (
    <a
      class={names.filter(Boolean).join(" ")}
      href={address}
      data-block={block.id}
      aria-label={nameOf(trace, block, step)}
      aria-current={here || undefined}
      {...events}
    >
      {content}
    </a>
  );
}

/// For screen readers: first what the block says, then the rest.
function nameOf(trace: Trace, block: PlacedBlock, step: number | undefined): string {
  const { kind, detail, more, where, axes } = block;
  const shape = axes && shapeText(trace, axes);
  const name = [labelOf(trace, block), detail, more].filter(Boolean).join(" ");
  const output = shape && shape !== detail && (kind === "mask" ? shape : `output ${shape}`);
  return [name, where, step !== undefined && `step ${step + 1}`, output].filter(Boolean).join(", ");
}

/// "encoder layer 0 · self-attention: step 2, weights [B, H, S, S] = [3, 4, 10, 10], output [B, S, D] = [3, 10, 64]"
function describe(trace: Trace, block: PlacedBlock, step: number | undefined): string {
  const { kind, axes, attention } = block;
  const shape = (name: string, of: string) => `${name}[${of}] = ${shapeText(trace, of)}`;
  const facts = [
    step !== undefined && `step ${step + 1}`,
    kind === "attention" && attention && shape("weights ", weightAxes(attention)),
    axes && shape(kind === "ids" ? "" : kind === "mask" ? "queries by keys " : "output ", axes),
  ].filter(Boolean);
  return [titleOf(block), facts.join(", ")].filter(Boolean).join(": ");
}

const labelOf = (trace: Trace, { kind, label }: PlacedBlock): string =>
  kind === "loss" ? `loss ${formatNumber(trace.json.loss.mean, 4)}` : label;

function BlockText({ trace, block }: { trace: Trace; block: PlacedBlock }) {
  const { kind, detail, tied } = block;
  const [x, y] = [block.x + block.width / 2, block.y + block.height / 2];
  if (kind === "mask") return <MaskCaption block={block} />;
  if (kind === "way_forward" || kind === "way_back") return <WayText block={block} />;
  return (
    <>
      <text class="label" x={x} y={detail ? y - 6.5 : y}>
        {labelOf(trace, block)}
      </text>
      {detail && (
        <text class="detail" x={x} y={y + 7.5}>
          {` ${detail}` /* a new word for screen readers; SVG draws no space here */}
        </text>
      )}
      {tied && <TiedBadge x={block.x + block.width} y={y} />}
    </>
  );
}

/// The label of a mask stands above it, in short lines: there is little room.
function MaskCaption({ block: { x, y, width, label, attention } }: { block: PlacedBlock }) {
  const lines = label.split(/ (?=\+|padding)/);
  const place =
    attention === "encoder self"
      ? ({ x: x - 3, "text-anchor": "start" } as const)
      : ({ x: x + width + 3, "text-anchor": "end" } as const);
  return lines.map((line, i) => (
    <text key={line} class="caption" {...place} y={y - 4.5 - 8 * (lines.length - 1 - i)}>
      {i > 0 ? ` ${line}` : line /* a new word for screen readers */}
    </text>
  ));
}

/// With an arrow as in the drawing.
function WayText({ block: { kind, x, y, height, label } }: { block: PlacedBlock }) {
  const isForward = kind === "way_forward";
  const [from, way] = isForward ? [y + height - 4, -1] : [y + 4, 1];
  return (
    <>
      <g class={isForward ? "map-wire wire-forward" : "map-wire wire-back"}>
        <path class="line" d={`M${x + 11} ${from}v${9 * way}`} />
        <path class="tip" d={`M${x + 11} ${from + 14 * way}l3.2 ${-5 * way}h-6.4z`} />
      </g>
      <text class="label" x={x + 18} y={y + height / 2} text-anchor="start">
        {label}
      </text>
    </>
  );
}

/// Blocks with this sign, an E, share one table. It is drawn, because it is not part of the name of a block.
export const TiedBadge = ({ x, y }: { x: number; y: number }) => (
  <g class="tied">
    <circle cx={x} cy={y} r={6.5} />
    <path d={`M${x + 2.2} ${y - 3.2}h-4v6.4h4m-4 -3.2h3.5`} />
  </g>
);

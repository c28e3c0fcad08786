// The arrows of the map: forward, back, and around the sublayers.
import { MAP, type Box, type Frame, type MapLayout, type PlacedGroup } from "./model_map_layout";

type WireKind = "forward" | "back" | "residual" | "mask";

/// A line and the tip at its end, as paths.
interface Wire {
  kind: WireKind;
  line: string;
  tip: string;
}

/// The shape of what an arrow carries, beside it.
interface ShapeLabel {
  x: number;
  y: number; // its middle
  side: "encoder" | "decoder";
  axes: string;
}

type Way = "up" | "down" | "left" | "right";

const APART = 10; // how far the arrows up and down are from the centre of a block
const AROUND = 7; // how far residual connections are from a block
const LANES = { forward: -4, back: 4 }; // the memory's lanes, from the middle of the drawing

/// Arrows up are on the outside, arrows down on the inside.
const outward = ({ side }: PlacedGroup): number => (side === "encoder" ? -1 : 1);
const centre = ({ x, width }: Box): number => x + width / 2;
const middle = ({ y, height }: Box): number => y + height / 2;
const bottom = ({ y, height }: Box): number => y + height;

const [LENGTH, HALF] = [5, 3.2]; // of a tip

function tipAt(x: number, y: number, way: Way): string {
  const [dx, dy] = { up: [0, 1], down: [0, -1], left: [1, 0], right: [-1, 0] }[way] as [number, number];
  const corner = (sign: number) => `${x + LENGTH * dx + sign * HALF * dy} ${y + LENGTH * dy + sign * HALF * dx}`;
  return `M${x} ${y}L${corner(1)}L${corner(-1)}Z`;
}

function vertical(kind: WireKind, x: number, from: number, to: number): Wire {
  const way = to < from ? "up" : "down";
  return { kind, line: `M${x} ${from}V${to + (way === "up" ? LENGTH : -LENGTH)}`, tip: tipAt(x, to, way) };
}

export function wiresOf(layout: MapLayout): Wire[] {
  const { encoder, decoder } = layout;
  return [
    ...trunk(encoder),
    ...trunk(decoder),
    ...[...encoder, ...decoder].flatMap((group) => [...residual(group), ...maskFeed(group)]),
    ...memoryWires(layout),
    ...expectedWire(layout),
  ];
}

/// From the ids up, and back down to the embedding: ids have no gradient.
function trunk(groups: PlacedGroup[]): Wire[] {
  return groups.slice(1).flatMap((above, i) => {
    const below = groups[i]!;
    if (below.y - bottom(above) < MAP.gap) return []; // folded layers touch
    const [up, down] = [1, -1].map((way) => centre(below) + way * outward(below) * APART) as [number, number];
    const forward = vertical("forward", up, below.y, bottom(above));
    return i === 0 ? [forward] : [forward, vertical("back", down, bottom(above), below.y)];
  });
}

/// From below a sublayer, around it, to its sum.
function residual(group: PlacedGroup): Wire[] {
  if (!group.residual) return [];
  const sum = group.blocks.at(-1)!;
  const out = outward(group);
  const edge = centre(group) + (out * group.width) / 2;
  const [from, around] = [centre(group) + out * APART, edge + out * AROUND];
  const line = `M${from} ${bottom(group) + MAP.padding}H${around}V${middle(sum)}H${edge + out * LENGTH}`;
  return [{ kind: "residual", line, tip: tipAt(edge, middle(sum), out < 0 ? "right" : "left") }];
}

function maskFeed(group: PlacedGroup): Wire[] {
  const { mask } = group;
  if (!mask) return [];
  const out = outward(group);
  const [from, to] = [centre(mask) - (out * mask.width) / 2, centre(group) + (out * group.width) / 2];
  const line = `M${from} ${middle(mask)}H${to + out * LENGTH}`;
  return [{ kind: "mask", line, tip: tipAt(to, middle(mask), out < 0 ? "right" : "left") }];
}

/// From the memory to every cross-attention, and back: there, the gradients add up.
function memoryWires({ width, encoder, decoder }: MapLayout): Wire[] {
  const memory = encoder.at(-1)!;
  const [start, at] = [memory.x + memory.width, middle(memory)];
  const [out, back] = [width / 2 + LANES.forward, width / 2 + LANES.back];
  const targets = decoder
    .flatMap(({ blocks }) => blocks)
    .filter(({ kind, attention }) => kind === "layer" || attention === "cross");
  const ends = [at, ...targets.map(middle)];
  const lane = (x: number, apart: number) => `M${x} ${Math.min(...ends) + apart}V${Math.max(...ends) + apart}`;
  const apart = LANES.back;
  return [
    {
      kind: "forward",
      line: [
        `M${start} ${at - apart}H${out}${lane(out, -apart)}`,
        ...targets.map((target) => `M${out} ${middle(target) - apart}H${target.x - LENGTH}`),
      ].join(""),
      tip: targets.map((target) => tipAt(target.x, middle(target) - apart, "right")).join(""),
    },
    {
      kind: "back",
      line: [
        ...targets.map((target) => `M${target.x} ${middle(target) + apart}H${back}`),
        `${lane(back, apart)}M${back} ${at + apart}H${start + LENGTH}`,
      ].join(""),
      tip: tipAt(start, at + apart, "left"),
    },
  ];
}

function expectedWire({ expected, decoder }: MapLayout): Wire[] {
  const softmax = decoder.at(-2)!;
  const [from, y] = [expected.x + expected.width, middle(softmax)];
  const line = `M${from} ${y}H${softmax.x - LENGTH}`;
  return [{ kind: "forward", line, tip: tipAt(softmax.x, y, "right") }];
}

/// Beside the arrows between layers. The ids, the memory and the loss state their shapes themselves.
export function shapeLabels({ encoder, decoder, frames }: MapLayout): ShapeLabel[] {
  const labels = (groups: PlacedGroup[]) =>
    groups.slice(1).flatMap((above, i): ShapeLabel[] => {
      const below = groups[i]!;
      const { axes, kind } = below.blocks.at(-1)!;
      const inLayer = below.layer !== undefined && below.layer === above.layer;
      const tight = below.y - bottom(above) < MAP.gap;
      if (!axes || kind === "ids" || above.blocks[0]!.kind === "memory" || inLayer || tight) return [];
      const [low, high] = [edge(frames, below), edge(frames, above)];
      const y = ((low?.y ?? below.y) + (high ? bottom(high) : bottom(above))) / 2;
      return [{ x: centre(below) + outward(below) * (APART + 6), y, side: below.side, axes }];
    });
  return [...labels(encoder), ...labels(decoder)];
}

const edge = (frames: Frame[], { side, layer }: PlacedGroup): Frame | undefined =>
  frames.find((frame) => frame.side === side && frame.layer === layer);

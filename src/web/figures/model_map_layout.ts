// Where the blocks of the map lie. Data flow upwards, as in the figure of Vaswani et al. (2017): the encoder on the left,
// the decoder on the right. Masks are on the outside. The memory goes from one to the other between them.
import type { Trace } from "../trace/trace";
import { expectedIds, groupsOf, WAYS, type Block, type BlockKind, type Group, type SideName } from "./model_map_blocks";
import { openLayers } from "./model_map_layers";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type PlacedBlock = Block & Box;

export interface PlacedGroup extends Group, Box {
  blocks: PlacedBlock[];
  mask?: PlacedBlock;
}

/// The box around a layer that is shown in full.
export interface Frame extends Box {
  side: SideName;
  layer: number;
}

export interface MapLayout {
  width: number;
  height: number;
  encoder: PlacedGroup[];
  decoder: PlacedGroup[];
  expected: PlacedBlock;
  ways: PlacedBlock[];
  frames: Frame[];
  legend: Box;
}

/// Sizes in the units of the drawing. A unit is about a pixel where the map stands beside the page.
export const MAP = {
  margin: 4,
  gutter: 54, // beside the blocks, for the masks
  block: 110,
  middle: 40, // between encoder and decoder, for the memory
  thumbnail: 40,
  gap: 14, // for an arrow
  glue: 2, // between the blocks of a group
  stack: 4, // between folded layers
  padding: 7, // of a frame
  legend: 106,
};

const HEIGHTS: Record<BlockKind, number> = {
  ids: 30,
  embedding: 30,
  attention: 30,
  mask: MAP.thumbnail,
  feed_forward: 30,
  norm: 20,
  add: 20,
  layer: 22,
  memory: 30,
  output: 30,
  softmax: 30,
  loss: 24,
  way_forward: 22,
  way_back: 22,
};

const WIDTH = 2 * (MAP.margin + MAP.gutter + MAP.block) + MAP.middle;
const LEFT: Record<SideName, number> = {
  encoder: MAP.margin + MAP.gutter,
  decoder: MAP.margin + MAP.gutter + MAP.block + MAP.middle,
};

const heightOf = ({ blocks }: Group): number =>
  blocks.reduce((sum, { kind }) => sum + HEIGHTS[kind], (blocks.length - 1) * MAP.glue);

const isFolded = ({ blocks }: Group): boolean => blocks[0]!.kind === "layer";

/// The space between two groups, one above the other.
function spaceBetween(below: Group, above: Group): number {
  if (isFolded(below) && isFolded(above)) return MAP.stack;
  if (below.layer === above.layer) return MAP.gap;
  const frames = [below, above].filter(({ layer }) => layer !== undefined).length;
  return MAP.gap + frames * MAP.padding;
}

/// The lower edge of each group, measured upwards from the bottom of the drawing.
function stack(groups: Group[]): number[] {
  const bottoms: number[] = [];
  groups.forEach((group, i) => {
    const below = groups[i - 1];
    bottoms.push(below ? bottoms[i - 1]! + heightOf(below) + spaceBetween(below, group) : MAP.margin);
  });
  return bottoms;
}

const topOf = (groups: Group[], bottoms: number[]): number => bottoms.at(-1)! + heightOf(groups.at(-1)!);

/// The map at a step of the walk.
export function layoutOf(trace: Trace, number: number): MapLayout {
  const groups = (side: SideName) => groupsOf(trace, side, openLayers(trace, number, side));
  const [encoder, decoder] = [groups("encoder"), groups("decoder")];
  const [encoderBottoms, decoderBottoms] = [stack(encoder), stack(decoder)];
  const memoryTop = topOf(encoder, encoderBottoms);
  // The ids that the loss expects stand above the memory, with the legend between them. If the encoder is the taller
  // side, the decoder's output, softmax and loss move up.
  const head = decoder.findIndex(({ blocks }) => blocks[0]!.kind === "output");
  const lift = Math.max(0, memoryTop + MAP.legend + 2 * MAP.gap - decoderBottoms[head + 1]!);
  for (let i = head; i < decoder.length; ++i) decoderBottoms[i]! += lift;
  const height = topOf(decoder, decoderBottoms) + MAP.margin;
  const place = (some: Group[], bottoms: number[]) => some.map((group, i) => placed(group, height - bottoms[i]!));
  const sides = { encoder: place(encoder, encoderBottoms), decoder: place(decoder, decoderBottoms) };
  const softmax = sides.decoder[head + 1]!;
  const corner = { x: MAP.margin, width: MAP.gutter + MAP.block };
  const legend = { ...corner, y: softmax.y + softmax.height + MAP.gap, height: MAP.legend };
  return {
    ...sides,
    width: WIDTH,
    height,
    legend,
    frames: [...framesOf(sides.encoder), ...framesOf(sides.decoder)],
    expected: { ...expectedIds(trace), x: LEFT.encoder, y: softmax.y, width: MAP.block, height: softmax.height },
    ways: waysIn(legend),
  };
}

/// At the top of the legend, side by side.
function waysIn({ x, y, width }: Box): PlacedBlock[] {
  const [forward, back] = WAYS as [Block, Block];
  const [height, split] = [HEIGHTS.way_forward, 0.46 * width];
  return [
    { ...forward, x, y, width: split - MAP.stack, height },
    { ...back, x: x + split, y, width: width - split, height },
  ];
}

/// A group whose lower edge is at `bottom`, with its mask beside its attention.
function placed(group: Group, bottom: number): PlacedGroup {
  const box = { x: LEFT[group.side], width: MAP.block };
  let y = bottom;
  const blocks = group.blocks.map((block) => {
    const height = HEIGHTS[block.kind];
    y -= height;
    const one = { ...block, ...box, y, height };
    y -= MAP.glue;
    return one;
  });
  const height = heightOf(group);
  const attention = blocks.find(({ kind }) => kind === "attention");
  const mask = group.mask && attention && { ...group.mask, ...maskBox(group.side, attention) };
  return { ...group, ...box, y: bottom - height, height, blocks, mask };
}

function maskBox(side: SideName, { y, height }: Box): Box {
  const size = MAP.thumbnail;
  const x = side === "encoder" ? MAP.margin : WIDTH - MAP.margin - size;
  return { x, y: y + (height - size) / 2, width: size, height: size };
}

function framesOf(groups: PlacedGroup[]): Frame[] {
  const layers = new Set(groups.flatMap(({ layer }) => layer ?? []));
  return [...layers].map((layer) => {
    const inside = groups.filter((group) => group.layer === layer);
    const [lowest, highest] = [inside[0]!, inside.at(-1)!];
    const y = highest.y - MAP.padding;
    const x = lowest.side === "encoder" ? 0 : lowest.x - MAP.padding;
    const width = MAP.margin + MAP.gutter + MAP.block + MAP.padding;
    return { side: lowest.side, layer, x, y, width, height: lowest.y + lowest.height + MAP.padding - y };
  });
}

export const blocksOf = ({ encoder, decoder, expected, ways }: MapLayout): PlacedBlock[] => [
  ...encoder.flatMap(({ blocks, mask }) => (mask ? [...blocks, mask] : blocks)),
  ...decoder.flatMap(({ blocks, mask }) => (mask ? [...blocks, mask] : blocks)),
  expected,
  ...ways,
];

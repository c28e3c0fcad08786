// How the blocks of the map and the steps of the walk belong together.
import type { Trace } from "../trace/trace";
import type { StepJson } from "../trace/types";
import { MEMORY_PART, type Block } from "./model_map_blocks";

export type Direction = StepJson["direction"];

/// The first step of a block in each direction, if it has any.
export type FirstSteps = Partial<Record<Direction, number>>;

/// Whether `part` is `outer` or lies inside it. What lies inside the decoder does not belong to the memory's gradient.
const isInside = (part: string, outer: string): boolean =>
  part === outer || (outer !== MEMORY_PART && part.startsWith(`${outer}.`));

/// The block that stands for a part of the model: the innermost one.
export function blockOfPart<B extends Block>(blocks: B[], part: string): B | undefined {
  let [best, length] = [undefined as B | undefined, 0];
  for (const block of blocks) {
    for (const outer of block.parts) {
      if (outer.length > length && isInside(part, outer)) [best, length] = [block, outer.length];
    }
  }
  return best;
}

/// The first steps of each block, by its id.
export function firstSteps(trace: Trace, blocks: Block[]): Map<string, FirstSteps> {
  const found = new Map<string, FirstSteps>();
  const known = new Map<string, Block | undefined>(); // by part
  trace.steps.forEach(({ part, direction }, number) => {
    if (!known.has(part)) known.set(part, blockOfPart(blocks, part));
    const block = known.get(part);
    if (!block) return;
    const first = found.get(block.id) ?? {};
    first[direction] ??= number;
    found.set(block.id, first);
  });
  return found;
}

/// The step that a block leads to: its first one in this direction, or else in the other one.
export const stepInDirection = ({ forward, backward }: FirstSteps, direction: Direction): number | undefined =>
  direction === "forward" ? (forward ?? backward) : (backward ?? forward);

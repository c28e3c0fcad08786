// A map of the model: encoder, decoder, the three attentions with their masks, the loss, and the way back, with the shapes
// of this batch. Each block is a link.
import { useMemo } from "preact/hooks";
import { useUniqueId } from "../base/unique_id";
import type { Trace } from "../trace/trace";
import type { AttentionKind } from "../trace/types";
import { HatchPatterns, MaskThumbnail } from "./mask_thumbnail";
import { MapBlock } from "./model_map_block";
import type { Block, BlockKind } from "./model_map_blocks";
import { MapGround } from "./model_map_ground";
import { blocksOf, layoutOf } from "./model_map_layout";
import { MapLegend } from "./model_map_legend";
import { blockOfPart, firstSteps, stepInDirection, type Direction, type FirstSteps } from "./model_map_steps";
import { stepAddress } from "./step_address";
import "./model_map.css";

/// The addresses of the sections that blocks without steps lead to.
export type MapAddresses = Record<"ids" | "mask" | "loss", string>;

interface Props {
  trace: Trace;
  sentence: number; // whose masks are shown
  number: number; // of the current step
  here: "step" | readonly BlockKind[]; // where the reader is: at the current step, or at all blocks of these kinds
  attention?: AttentionKind | undefined; // if the reader is at one only
  addresses: MapAddresses;
  point: (text: string | null) => void; // what the pointer or the focus is on
}

export function ModelMap({ trace, sentence, number, here, attention, addresses, point }: Props) {
  const id = useUniqueId();
  const layout = useMemo(() => layoutOf(trace, number), [trace, number]);
  const blocks = useMemo(() => blocksOf(layout), [layout]);
  const first = useMemo(() => firstSteps(trace, blocks), [trace, blocks]);
  const { direction, part } = trace.step(number);
  const current = blockOfPart(blocks, part);
  const isBackward = here === "step" ? direction === "backward" : here.includes("way_back");

  function stepOf({ id, kind }: Block): number | undefined {
    const way = WAY_OF[kind];
    if (way) return turned(trace, current && first.get(current.id), way);
    return stepInDirection(first.get(id) ?? {}, direction);
  }
  function isHere(block: Block): false | "step" | "true" {
    if (here !== "step") {
      const isOther = attention && block.attention && block.attention !== attention;
      return here.includes(block.kind) && !isOther && "true";
    }
    return block === current ? "step" : WAY_OF[block.kind] === direction && "true";
  }
  return (
    <nav class={isBackward ? "model-map backward" : "model-map"} aria-label="Map of the model">
      <svg viewBox={`0 0 ${layout.width} ${layout.height}`} preserveAspectRatio="xMidYMin">
        <HatchPatterns id={id} />
        <MapGround trace={trace} layout={layout} current={here === "step" ? current : undefined} />
        <MapLegend {...{ trace, layout, id }} />
        {blocks.map((block) => {
          const step = stepOf(block);
          const address = step === undefined ? addresses[block.kind as keyof MapAddresses] : stepAddress(step);
          return (
            <MapBlock key={block.id} {...{ trace, block, step, address, point }} here={isHere(block)}>
              {block.kind === "mask" && (
                <MaskThumbnail {...{ trace, sentence, id }} kind={block.attention!} box={block} />
              )}
            </MapBlock>
          );
        })}
      </svg>
    </nav>
  );
}

const WAY_OF: Partial<Record<BlockKind, Direction>> = { way_forward: "forward", way_back: "backward" };

/// The first step of a block in this direction; if it has none, that of the whole pass.
const turned = ({ steps }: Trace, first: FirstSteps | undefined, direction: Direction): number =>
  first?.[direction] ?? steps.findIndex((step) => step.direction === direction);

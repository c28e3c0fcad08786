// The masks in the live page: every cell can be flipped, and the pass follows at once.
import { MaskSection, type MaskTools } from "../../sections/mask_section";
import { sentenceOf, type SectionProps } from "../../sections/choices";
import { plural } from "../../base/numbers";
import { ATTENTION_KINDS, KINDS } from "../../trace/names";
import type { Trace } from "../../trace/trace";
import type { AttentionKind } from "../../trace/types";
import { Company } from "../company/company";
import { MaskAttention } from "./mask_attention";
import { MaskBar } from "./mask_bar";
import { MaskEffect } from "./mask_effect";
import { PresetMasks } from "./preset_masks";
import { changesOf, flipAt, restoreMask, setAll } from "./mask_state";
import "./live_mask_section.css";

export function LiveMaskSection(props: SectionProps) {
  const { trace } = props;
  const sentence = sentenceOf(props);
  const tools: MaskTools = {
    says: "In a mask with buttons below it, click a cell, or press Enter on it, to flip it: the weights, the loss and the gradient follow. The two maps before “combined” only show what it is made of.",
    choose: (kind, sentence) => ({ does: "flips the cell", cell: (query, key) => flipAt(kind, sentence, query, key) }),
    changed: KINDS.some((kind) => changesOf(trace, ATTENTION_KINDS[kind].mask, sentence) > 0),
    above: (
      <>
        <MaskBar trace={trace} />
        <MaskEffect trace={trace} sentence={sentence} />
      </>
    ),
    under: (kind, sentence) => <WholeMask {...{ trace, kind, sentence }} />,
  };
  return (
    <>
      <div>
        <MaskSection {...props} tools={tools} />
        <PresetMasks trace={trace} />
        <MaskAttention trace={trace} sentence={sentence} />
      </div>
      <Company sentence={sentence} />
    </>
  );
}

interface WholeMaskProps {
  trace: Trace;
  kind: AttentionKind;
  sentence: number;
}

/// Buttons that change all cells of one mask, and how many cells have changed.
function WholeMask({ trace, kind, sentence }: WholeMaskProps) {
  const { mask, title } = ATTENTION_KINDS[kind];
  const changes = changesOf(trace, mask, sentence);
  const button = (text: string, act: () => void) => (
    <button type="button" class="quiet" onClick={act}>
      {text}
      <span class="hidden">: the mask of {title.toLowerCase()}</span>
    </button>
  );
  return (
    <p class="whole-mask">
      {button("Block all", () => setAll(mask, sentence, true))}
      {button("Open all", () => setAll(mask, sentence, false))}
      {button("Model’s own", () => restoreMask(mask, sentence))}
      <span class="note">{changes > 0 && `You changed ${plural(changes, "cell")}.`}</span>
    </p>
  );
}

// The three masks of a sentence, side by side.
import type { ComponentChildren } from "preact";
import { plural } from "../base/numbers";
import { HatchLegend } from "../figures/hatch_legend";
import type { HeatMapProps } from "../figures/heat_map";
import { MaskMap, maskWords } from "../figures/mask_map";
import { Readout, useReadout } from "../figures/readout";
import { SentenceChooser } from "../figures/sentence_chooser";
import { ATTENTION_KINDS } from "../trace/names";
import { blockedBy, elementaryMasks, openedAgainst, paddingSeen } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import type { AttentionKind, MaskName, ReasonName } from "../trace/types";
import { sentenceOf, type SectionProps } from "./choices";
import "./mask_section.css";

/// What a page adds if the masks can be changed there.
export interface MaskTools {
  says: ComponentChildren; // at the end of the lead
  choose(kind: AttentionKind, sentence: number): HeatMapProps["choose"];
  above: ComponentChildren; // the masks
  under(kind: AttentionKind, sentence: number): ComponentChildren; // a mask that a layer uses
  changed: boolean; // whether any cell of the sentence's masks differs from the model's own
}

export function MaskSection(props: SectionProps & { tools?: MaskTools }) {
  const { trace, choices, tools } = props;
  const readout = useReadout();
  const sentence = sentenceOf(props);
  const off = trace.json.model.learned_without.map(maskWords);
  const mask = (name: MaskName) => <ShownMask {...{ trace, name, sentence, readout, tools }} />;
  return (
    <>
      <p class="lead">
        A mask says which <b>keys</b> (columns) each <b>query</b> (row) may not attend to: 1 means blocked, 0 means
        visible. Blocked cells are hatched. Point at one to see why. {tools?.says}
      </p>
      {off.length > 0 && <p class="warning">Masks that were off when this model was trained: {off.join(", ")}.</p>}
      <SentenceChooser trace={trace} chosen={sentence} choose={(value) => (choices.sentence.value = value)} />
      {tools?.above}
      <div class={tools ? "masks editable" : "masks"}>
        <MaskGroup title="1. Encoder padding" explanation="Encoder self-attention: a mask for source padding.">
          {mask("encoder_padding")}
        </MaskGroup>
        <MaskGroup
          title="2. Look-ahead and target padding"
          explanation="Decoder self-attention: the elementwise maximum of two masks. A cell is blocked if either mask blocks it."
          foot={<WhyBoth trace={trace} />}
        >
          {mask("look_ahead")}
          <Operator sign="max" words="maximum with" />
          {mask("target_padding")}
          <Operator sign="=" words="equals" />
          {mask("decoder_combined")}
        </MaskGroup>
        <MaskGroup
          title="3. Cross-attention padding"
          explanation="Cross-attention: its keys come from the encoder, so this mask is for source padding, too."
        >
          {mask("cross_padding")}
        </MaskGroup>
      </div>
      <Readout reading={readout} />
      <HatchLegend flipped={tools?.changed} />
      <p class="note">
        A padding mask blocks keys, not queries: it leaves the rows of padded queries unchanged.{" "}
        {paddedQueriesText(trace)}
      </p>
    </>
  );
}

/// What the padding mask adds to the look-ahead mask. Padding always comes last.
function WhyBoth({ trace }: { trace: Trace }) {
  const areOn = trace.isOn("decoder_combined", "future") && trace.isOn("decoder_combined", "padding");
  if (!areOn || !trace.target.hasPadding) return null;
  return (
    <p class="note why-both">
      Why both? Padding comes last, so the look-ahead mask alone already hides it from every word. The padding mask
      changes only the faint rows, those of padding, and no word reads them. If padding stood on the left, the words
      would need it.
    </p>
  );
}

/// Each mask shown: the attention it belongs to, and the elementary masks in it.
const SHOWN_MASKS: Record<MaskName, { title: string; kind: AttentionKind; reasons: ReasonName[] }> = {
  encoder_padding: { title: "padding", kind: "encoder self", reasons: ["padding"] },
  look_ahead: { title: "look-ahead", kind: "decoder self", reasons: ["future"] },
  target_padding: { title: "padding", kind: "decoder self", reasons: ["padding"] },
  decoder_combined: { title: "combined", kind: "decoder self", reasons: ["future", "padding"] },
  cross_padding: { title: "padding", kind: "cross", reasons: ["padding"] },
};

function maskNote(trace: Trace, name: MaskName, keys: number): string {
  const { kind, reasons } = SHOWN_MASKS[name];
  const on = reasons.filter((reason) => trace.isOn(ATTENTION_KINDS[kind].mask, reason));
  if (!on.length) return reasons.length > 1 ? "Both are off: nothing is blocked." : "Off: it blocks nothing.";
  if (reasons.length > 1) return on.length > 1 ? "Blocked by one mask or by both." : "Only one of the two is on.";
  return name === "look_ahead" ? "The same for all sentences." : `One row of ${plural(keys, "key")} for all queries.`;
}

interface ShownMaskProps {
  trace: Trace;
  name: MaskName;
  sentence: number;
  readout: ReturnType<typeof useReadout>;
  tools: MaskTools | undefined;
}

function ShownMask({ trace, name, sentence, readout, tools }: ShownMaskProps) {
  const { title, kind, reasons } = SHOWN_MASKS[name];
  const { mask: layerMask, rows, cols } = ATTENTION_KINDS[kind];
  const note = maskNote(trace, name, trace[cols].length);
  const shared = { trace, name, title, note, sentence, readout, queries: trace[rows], keys: trace[cols] };
  if (name !== layerMask) {
    return (
      <MaskMap
        {...shared}
        mask={trace.mask(name)}
        blocked={(query, key) =>
          elementaryMasks(trace, kind, sentence, query, key).filter((reason) => reasons.includes(reason))
        }
      />
    );
  }
  return (
    <div class="layer-mask">
      <MaskMap
        {...shared}
        mask={trace.matrix(trace.own.masks[layerMask])}
        blocked={(query, key) => blockedBy(trace, kind, sentence, query, key)}
        opened={(query, key) => openedAgainst(trace, kind, sentence, query, key).length > 0}
        choose={tools?.choose(kind, sentence)}
      />
      {tools?.under(kind, sentence)}
    </div>
  );
}

function MaskGroup({
  title,
  explanation,
  foot,
  children,
}: {
  title: string;
  explanation: string;
  foot?: ComponentChildren; // below the maps
  children: ComponentChildren;
}) {
  return (
    <section class="mask-group">
      <h3>{title}</h3>
      <p>{explanation}</p>
      <div class="mask-maps">{children}</div>
      {foot}
    </section>
  );
}

const Operator = ({ sign, words }: { sign: string; words: string }) => (
  <span class="operator" role="img" aria-label={words}>
    {sign}
  </span>
);

function paddedQueriesText(trace: Trace): string {
  const seen = paddingSeen(trace).map((kind) => ATTENTION_KINDS[kind].title.toLowerCase());
  if (!seen.length) return "No word attends to their outputs, and the loss ignores them.";
  return `The loss ignores their outputs, but words attend to padding in ${new Intl.ListFormat("en-GB").format(seen)}.`;
}

// The attention weights of all layers and heads.
import type { ComponentChildren } from "preact";
import { AttentionLayer } from "../figures/attention_layer";
import type { HeadSwitch } from "../figures/head_row";
import { SentenceChooser } from "../figures/sentence_chooser";
import { ATTENTION_KINDS, KINDS } from "../trace/names";
import { isFlipped, paddingSeen } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import type { AttentionJson, AttentionKind } from "../trace/types";
import { sentenceOf, type SectionProps } from "./choices";

interface Props extends SectionProps {
  headsOf?: (layer: AttentionJson) => HeadSwitch; // if they can be switched off
  children?: ComponentChildren; // below the maps
}

export function AttentionSection(props: Props) {
  const { trace, choices, headsOf, children } = props;
  const sentence = sentenceOf(props);
  return (
    <>
      <p class="lead">
        Each row is a query. Its weights sum to 1 and say how much each key’s value contributes to its output.{" "}
        {trace.hasDropout("attn") && "These are the weights before dropout changes them. "}
        Look for rows that put all their weight on one token. A hatched cell is blocked: its weight is exactly 0.
      </p>
      <SentenceChooser trace={trace} chosen={sentence} choose={(value) => (choices.sentence.value = value)} />
      {KINDS.map((kind) => (
        <section key={kind} class="attention-kind">
          <h3>{ATTENTION_KINDS[kind].title}</h3>
          <p>
            {attentionText(trace, kind)} {kind === "cross" && CROSS_NAMES}
          </p>
          {trace.json.attention
            .filter((one) => one.kind === kind)
            .map((layer) => (
              <AttentionLayer
                key={layer.part}
                {...{ trace, layer, sentence }}
                {...(headsOf && { heads: headsOf(layer) })}
              />
            ))}
        </section>
      ))}
      {children}
    </>
  );
}

const CROSS_NAMES =
  "The outputs of the encoder are also called the memory. In the names of tensors, cross-attention is encoder_attn.";

/// What a token may attend to under the masks that are on.
function attentionText(trace: Trace, kind: AttentionKind): string {
  if (isFlipped(trace, kind)) return "You have flipped cells of its mask. Dots and vertical lines mark them.";
  const padding = paddingClause(trace, kind);
  if (kind === "encoder self") return `Each source token attends to all source tokens${padding}.`;
  if (kind === "cross") return `Each target token attends to all outputs of the encoder${padding}.`;
  return trace.isOn("decoder_combined", "future")
    ? `Each target token attends to itself and to the tokens before it${padding}.`
    : `Each target token attends to the whole target${padding}. It even sees the tokens it must predict.`;
}

/// The end of the sentence in attentionText: whether tokens attend to padding; empty if no key is padding.
function paddingClause(trace: Trace, kind: AttentionKind): string {
  const { mask, cols } = ATTENTION_KINDS[kind];
  if (!trace[cols].hasPadding) return "";
  if (trace.isOn(mask, "padding")) return ", but not to padding";
  if (paddingSeen(trace).includes(kind)) return ", padding included";
  return ". The padding mask is off, but padding comes after the words, so no word attends to it";
}

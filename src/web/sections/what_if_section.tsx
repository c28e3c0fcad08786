// The same sentences and weights, but different masks, compared with the unchanged model.
import { Chooser } from "../base/chooser";
import { formatNumber } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { SentenceChooser } from "../figures/sentence_chooser";
import type { Trace } from "../trace/trace";
import { sentenceOf, variantOf, type SectionProps } from "./choices";
import { VariantView } from "./variant_view";
import "./what_if_section.css";

export function WhatIfSection(props: SectionProps) {
  const { trace, choices } = props;
  const sentence = sentenceOf(props);
  const variants = trace.json.what_if;
  const chosen = variantOf(props);
  return (
    <>
      <p class="lead">
        The weights stay the same; the masks change. Watch the loss. If it improves, ask whether it improves for the
        wrong reason: a model that can see the answer does not have to translate.
      </p>
      <VariantTable trace={trace} />
      <p class="note">{lossNote(trace)}</p>
      <div class="variant-chooser">
        <Chooser
          legend="Change"
          options={variants.slice(1).map(({ title }, i) => ({ value: i + 1, text: title }))}
          chosen={chosen}
          choose={(value) => (choices.variant.value = value)}
        />
      </div>
      <SentenceChooser trace={trace} chosen={sentence} choose={(value) => (choices.sentence.value = value)} />
      <div class="variant">
        <VariantView key={chosen} trace={trace} variant={variants[chosen]!} sentence={sentence} />
      </div>
    </>
  );
}

function VariantTable({ trace }: { trace: Trace }) {
  return (
    <ScrollBox name="All variants">
      <TitledTable name="variants" titles={["masks", "loss", "perplexity", "correct"]}>
        {trace.json.what_if.map(({ title, loss, name }) => (
          <tr key={name} data-variant={name}>
            <th scope="row">{title}</th>
            <td class="number">{formatNumber(loss.mean, 5)}</td>
            <td class="number">{formatNumber(loss.perplexity, 5)}</td>
            <td class="number">
              {loss.correct} of {loss.tokens}
            </td>
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}

/// A less confident model may have a higher cross-entropy but a lower smoothed loss.
function lossNote(trace: Trace): string {
  if (!(trace.json.model.label_smoothing > 0)) return "The perplexity is exp(loss).";
  return (
    "The loss includes label smoothing, which penalises confidence. Less confident predictions can therefore lower " +
    "the loss even if they are worse. The perplexity is exp(cross-entropy), without label smoothing."
  );
}

// What one variant of the masks changes. If it changes nothing, this shows only the unchanged model, in the batch and
// alone.
import { percent } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { Bar } from "../figures/bar";
import { ATTENTION_KINDS, KINDS } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { VariantJson } from "../trace/types";
import { VariantAnswers } from "./variant_answers";
import { VariantAttention } from "./variant_attention";
import { VariantGradients } from "./variant_gradients";
import { VariantMasks } from "./variant_masks";

/// Props of all parts of this view.
export interface VariantProps {
  trace: Trace;
  variant: VariantJson;
  sentence: number;
}

export function VariantView(props: VariantProps) {
  const { variant } = props;
  const changes = variant.changed.length > 0;
  return (
    <>
      <h3>{variant.title}</h3>
      <p>{variant.says}</p>
      <AttentionToPadding {...props} />
      <VariantAnswers {...props} />
      {changes && <VariantMasks {...props} />}
      <VariantAttention {...props} />
      {changes && <VariantGradients {...props} />}
    </>
  );
}

/// How much attention the words of the sentence pay to padding.
function AttentionToPadding({ trace, variant, sentence }: VariantProps) {
  const changes = variant.changed.length > 0;
  const columns = (changes ? [trace.own, variant] : [trace.own]).map((one) => one.on_padding[sentence]!);
  return (
    <>
      <h4>Attention to padding</h4>
      <p>
        This is how much of their attention the words of this sentence pay to padded keys, averaged over layers, heads
        and words. Alone, the sentence has no padding.
      </p>
      <ScrollBox name="Attention to padding">
        <TitledTable
          name="losses padding"
          titles={["attention", ...(changes ? ["unchanged", "changed"] : ["in the batch"])]}
        >
          {KINDS.map((kind) => (
            <tr key={kind} data-kind={kind}>
              <th scope="row">{ATTENTION_KINDS[kind].title}</th>
              {columns.map((means, i) => (
                <td key={i}>
                  <Bar value={means[kind]} max={1} text={means[kind] === 0 ? "0" : percent(means[kind])} />
                </td>
              ))}
            </tr>
          ))}
        </TitledTable>
      </ScrollBox>
    </>
  );
}

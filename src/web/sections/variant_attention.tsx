// How a variant changes the attention weights of one layer, which the reader chooses.
import { useSignal } from "@preact/signals";
import { AttentionLayer } from "../figures/attention_layer";
import { sameNumbers } from "../trace/matrix";
import { ATTENTION_KINDS } from "../trace/names";
import type { VariantProps } from "./variant_view";

export function VariantAttention({ trace, variant, sentence }: VariantProps) {
  const { attention } = trace.json;
  // By default, the first layer whose mask the variant changes.
  const direct = attention.findIndex(({ kind }) => variant.changed.includes(ATTENTION_KINDS[kind].mask));
  const choice = useSignal<number | null>(null);
  const index = Math.min(choice.value ?? Math.max(0, direct), attention.length - 1);
  const props = { trace, sentence, layer: attention[index]! };
  const [own, changed] = [trace.own.attention[index]!, variant.attention[index]!];
  return (
    <>
      <h4>The attention weights</h4>
      <p>
        <label>
          Layer{" "}
          <select value={index} onChange={(event) => (choice.value = Number(event.currentTarget.value))}>
            {attention.map(({ kind, layer }, i) => (
              <option key={i} value={i}>
                {ATTENTION_KINDS[kind].title}, layer {layer}
              </option>
            ))}
          </select>
        </label>
      </p>
      {variant.changed.length > 0 && sameNumbers(trace.matrix(own), trace.matrix(changed)) && (
        <p class="note">Nothing changes in this layer, to the last digit shown.</p>
      )}
      <AttentionLayer key={`unchanged ${index}`} {...props} weights={own} title="Unchanged" />
      {variant.changed.length > 0 && (
        <AttentionLayer key={`changed ${index}`} {...props} weights={changed} variant={variant} title="Changed" />
      )}
    </>
  );
}

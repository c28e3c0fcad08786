// The attention weights of a layer whose mask the reader has changed, before and after.
import { useSignal } from "@preact/signals";
import { Chooser } from "../../base/chooser";
import { AttentionLayer } from "../../figures/attention_layer";
import { sameNumbers } from "../../trace/matrix";
import { ATTENTION_KINDS } from "../../trace/names";
import type { Trace } from "../../trace/trace";
import { masks, unchanged } from "../pass_state";
import { changesOf } from "./mask_state";

interface Props {
  trace: Trace;
  sentence: number;
}

export function MaskAttention({ trace, sentence }: Props) {
  const choice = useSignal(-1);
  const before = unchanged.value;
  if (masks.value === null || !before) return null;
  const layers = trace.json.attention;
  const changed = layers.findIndex(({ kind }) => changesOf(trace, ATTENTION_KINDS[kind].mask, sentence) > 0);
  const chosen = layers[choice.value] ? choice.value : Math.max(0, changed);
  const layer = layers[chosen]!;
  const same = sameNumbers(before.matrix(layer.weights), trace.matrix(layer.weights));
  return (
    <section class="mask-attention">
      <h3>The attention weights of sentence {sentence}, before and after</h3>
      <p>
        A cell that you block gets a weight of exactly 0, and the other keys of its row share what it had. If every key
        of a row is blocked, all its weights are 0. Later layers change too, because they read what this one computes.
      </p>
      <Chooser
        legend="Layer"
        options={layers.map(({ kind, layer }, value) => ({ value, text: `${ATTENTION_KINDS[kind].title} ${layer}` }))}
        chosen={chosen}
        choose={(value) => (choice.value = value)}
      />
      {same && <p class="note">Nothing changes in this layer, to the last bit.</p>}
      <div class="before-after">
        <AttentionLayer trace={before} layer={layer} sentence={sentence} title="The model’s own masks" />
        <AttentionLayer trace={trace} layer={layer} sentence={sentence} title="Your masks" />
      </div>
    </section>
  );
}

// The attention of the sentence's words, alone and in company: how much of it goes to padding.
import { useSignal } from "@preact/signals";
import { Chooser } from "../../base/chooser";
import { percent, plural } from "../../base/numbers";
import { HeatMap } from "../../figures/heat_map";
import { Readout, useReadout } from "../../figures/readout";
import { tokenAxis, type Axis } from "../../trace/axes";
import { ATTENTION_KINDS } from "../../trace/names";
import type { Trace } from "../../trace/trace";
import type { AttentionJson } from "../../trace/types";
import { weightsOfWords, type CompanyPasses } from "./company_passes";

export function CompanyAttention({ passes }: { passes: CompanyPasses }) {
  const choice = useSignal(0);
  const readout = useReadout();
  const { alone, masked, unmasked } = passes;
  const layers = alone.json.attention;
  const chosen = Math.min(choice.value, layers.length - 1);
  const layer = layers[chosen]!;
  const map = (title: string, pass: Trace) => <WordMap {...{ title, pass, passes, layer, readout }} />;
  return (
    <>
      <h4>Its attention</h4>
      <p>
        Each row shows how a word of the sentence divides its attention, averaged over the heads. The last column is the
        share of all padding together.
        {layer.kind === "decoder self" &&
          alone.isOn("decoder_combined", "future") &&
          " In decoder self-attention, padding gets nothing even without padding masks: it comes after the words, so the look-ahead mask hides it."}
      </p>
      <Chooser
        legend="Layer"
        options={layers.map(({ kind, layer }, value) => ({ value, text: `${ATTENTION_KINDS[kind].title} ${layer}` }))}
        chosen={chosen}
        choose={(value) => (choice.value = value)}
      />
      <div class="company-maps">
        {map("Alone", alone)}
        {map("In company, padding masks on", masked)}
        {map("In company, padding masks off", unmasked)}
      </div>
      <Readout reading={readout} />
    </>
  );
}

interface WordMapProps {
  title: string;
  pass: Trace;
  passes: CompanyPasses;
  layer: AttentionJson;
  readout: ReturnType<typeof useReadout>;
}

function WordMap({ title, pass, passes, layer, readout }: WordMapProps) {
  const { rows, cols } = ATTENTION_KINDS[layer.kind];
  const matrix = weightsOfWords(pass, passes, layer);
  const words = passes.alone[cols].length;
  const padding = pass[cols].length - words;
  const keys = tokenAxis(passes.alone[cols], 0, "key");
  const axis: Axis = {
    ...keys,
    short: (i) => (i < words ? keys.short(i) : `padding × ${padding}`),
    long: (i) => (i < words ? keys.long(i) : `all ${plural(padding, "padded key")}`),
    pad: (i) => i >= words,
  };
  let share = 0;
  if (padding > 0) for (let row = 0; row < matrix.rows; ++row) share += matrix.at(row, words) / matrix.rows;
  return (
    <figure class="company-map">
      <figcaption>
        <b>{title}</b>
        <span class="note">
          {padding === 0
            ? "No padding."
            : `Padding gets ${share === 0 ? "nothing" : percent(share)} of the attention in this layer.`}
        </span>
      </figcaption>
      <HeatMap
        name={`${title}, weights of ${ATTENTION_KINDS[layer.kind].title.toLowerCase()}, layer ${layer.layer}`}
        matrix={matrix}
        rows={tokenAxis(passes.alone[rows], 0, "query")}
        cols={axis}
        scale={{ kind: "amount", limit: 1 }}
        readout={readout}
        roomFor={words + 1}
        square
        plain
      />
    </figure>
  );
}

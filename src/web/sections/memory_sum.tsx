// The gradient of the encoder's output, as the sum of what the decoder layers send.
import { useSignal } from "@preact/signals";
import { range } from "../base/numbers";
import { EnlargeButton } from "../figures/enlarge_button";
import { HeatMap } from "../figures/heat_map";
import { Origin } from "../figures/origin";
import { Readout, useReadout } from "../figures/readout";
import { scaleFor } from "../figures/scale";
import { ScaleLegend } from "../figures/scale_legend";
import { plainAxis, tokenAxis } from "../trace/axes";
import { blockedBy, type Blocker } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import "./memory_sum.css";

export function MemorySum({ trace, sentence }: { trace: Trace; sentence: number }) {
  const { sum, parts } = trace.json.memory_gradient;
  const { source } = trace;
  const scale = scaleFor(...parts.map((part) => trace.matrix(part.tensor)), trace.matrix(sum));
  const readout = useReadout();
  const enlarged = useSignal(false);
  const numbersShown = useSignal(false);
  const reasons = range(source.length).map((key) => whyUnused(trace, sentence, key));
  const map = (tensor: number, title: string, operator: string) => (
    <figure key={title} class="memory">
      <figcaption>
        <span class="operator">{operator}</span>
        <b>{title}</b>
        <Origin trace={trace} tensor={tensor} />
      </figcaption>
      <HeatMap
        name={title}
        matrix={trace.matrix(tensor).rowsFrom(sentence * source.length, source.length)}
        rows={tokenAxis(source, sentence)}
        cols={plainAxis(trace, "D", {}, false)}
        blocked={(row) => reasons[row]!}
        {...{ scale, readout, enlarged, numbersShown }}
        plain
      />
    </figure>
  );
  return (
    <div>
      <div class={enlarged.value ? "memory-sum side-by-side enlarged" : "memory-sum side-by-side"}>
        {parts.map(({ layer, tensor }, i) => map(tensor, `from decoder layer\u00a0${layer}`, i ? "+" : ""))}
        {map(sum, "what the encoder gets", "=")}
      </div>
      <div class="heat-map-foot">
        <ScaleLegend {...{ scale, numbersShown }} />
        <EnlargeButton enlarged={enlarged} />
      </div>
      <Readout reading={readout} />
    </div>
  );
}

/// Why no query may attend to a key of cross-attention; [] if one may.
function whyUnused(trace: Trace, sentence: number, key: number): Blocker[] {
  const ofQuery = range(trace.target.length).map((query) => blockedBy(trace, "cross", sentence, query, key));
  return ofQuery.every(({ length }) => length) ? ofQuery[0]! : [];
}

import { ATTENTION_KINDS } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { AttentionJson, MatrixJson, VariantJson } from "../trace/types";
import { HeadRow, type HeadSwitch } from "./head_row";
import { stepAddress } from "./step_address";
import "./attention_layer.css";

interface Props {
  trace: Trace;
  layer: AttentionJson;
  sentence: number;
  title?: string; // instead of the layer's number and its step
  weights?: MatrixJson; // instead of those of the trace
  variant?: VariantJson; // whose masks block cells; by default, the model's own
  heads?: HeadSwitch; // of this layer
}

/// The attention weights of all heads of one layer.
export function AttentionLayer({ trace, layer, sentence, title, weights, variant, heads }: Props) {
  const { rows, cols } = ATTENTION_KINDS[layer.kind];
  const step = trace.producer(layer.weights);
  const name = title ?? `Layer ${layer.layer}`;
  return (
    <figure class="attention" data-part={layer.part}>
      <figcaption>
        <b>{name}</b>
        {step !== undefined && !title && <a href={stepAddress(step)}>step {step + 1}</a>}
      </figcaption>
      <HeadRow
        {...{ trace, sentence, variant }}
        {...(heads && { heads })}
        name={`${name}, weights`}
        matrix={trace.matrix(weights ?? layer.weights)}
        queries={trace[rows]}
        keys={trace[cols]}
        kind={layer.kind}
        scale={{ kind: "amount", limit: 1 }}
      />
    </figure>
  );
}

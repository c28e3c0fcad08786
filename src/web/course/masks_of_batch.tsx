// The masks of one sentence of a batch.
import type { ComponentChildren } from "preact";
import { HeatMap } from "../figures/heat_map";
import type { ReadoutSignal } from "../figures/readout";
import { numberAxis, type Axis } from "../trace/axes";
import { reasonText } from "../trace/reasons";
import { combinedMask, lookAheadMask, paddingMask, reasonsFor } from "./arithmetic/masks";

interface Props {
  words: { source: string[]; target: string[] };
  source: number[][]; // padded
  target: number[][];
  sourcePad: number; // the id that the mask takes for padding
  targetPad: number;
  sentence: number;
  readout: ReadoutSignal;
}

const allQueries: Axis = { ...numberAxis(() => "all queries"), short: () => "all" };

export function BatchMasks({ words, source, target, sourcePad, targetPad, sentence, readout }: Props) {
  const ids = { source: source[sentence]!, target: target[sentence]! };
  const axis = (side: "source" | "target", role: string): Axis => ({
    tokens: true,
    short: (i) => words[side][ids[side][i]!]!,
    long: (i) => `${role} “${words[side][ids[side][i]!]}” (position ${i})`,
    pad: (i) => ids[side][i] === 0,
  });
  const ofSource = paddingMask(ids.source, sourcePad);
  const ofTarget = paddingMask(ids.target, targetPad);
  const future = lookAheadMask(ids.target.length);
  const sourceKeys = axis("source", "key");
  const targetKeys = axis("target", "key");
  const queries = axis("target", "query");
  const shape = (...sizes: number[]) => `[${sizes.join(", ")}]`;
  const [B, S, T] = [source.length, ids.source.length, ids.target.length];
  return (
    <div class="batch-masks">
      <div>
        <Map
          title="encoder_padding"
          shape={shape(B, 1, S)}
          rows={allQueries}
          cols={sourceKeys}
          padding={[ofSource]}
          readout={readout}
        />
        <Map
          title="target_padding"
          shape={shape(B, 1, T)}
          rows={allQueries}
          cols={targetKeys}
          padding={[ofTarget]}
          readout={readout}
        />
        <Map
          title="cross_padding"
          shape={shape(B, 1, S)}
          rows={allQueries}
          cols={sourceKeys}
          padding={[ofSource]}
          readout={readout}
        />
      </div>
      <div>
        <Map
          title="look_ahead"
          shape={shape(1, T, T)}
          rows={queries}
          cols={targetKeys}
          future={future}
          readout={readout}
        />
        <Map
          title="decoder_combined"
          shape={shape(B, T, T)}
          rows={queries}
          cols={targetKeys}
          padding={future.map(() => ofTarget)}
          future={future}
          mask={combinedMask(ofTarget, future)}
          readout={readout}
        />
      </div>
    </div>
  );
}

interface MapProps {
  title: string;
  shape: string;
  rows: Axis;
  cols: Axis;
  padding?: number[][];
  future?: number[][];
  mask?: number[][]; // if it combines both
  readout: ReadoutSignal;
}

function Map({
  title,
  shape,
  rows,
  cols,
  padding,
  future,
  mask = padding ?? future!,
  readout,
}: MapProps): ComponentChildren {
  const reasons = (row: number, col: number) => reasonsFor(padding?.[row]?.[col], future?.[row]?.[col]);
  return (
    <figure class="mask" data-mask={title}>
      <figcaption>
        <code>{title}</code> <span class="shape">{shape}</span>
      </figcaption>
      <HeatMap
        name={title}
        matrix={{ rows: mask.length, cols: mask[0]!.length, at: (row, col) => (mask[row]![col] ? NaN : 0) }}
        rows={rows}
        cols={cols}
        scale={{ kind: "amount", limit: 1 }}
        blocked={reasons}
        value={(row, col) => (mask[row]![col] ? `1, blocked: ${reasonText(reasons(row, col))}` : "0, visible")}
        short={(row, col) => String(mask[row]![col])}
        readout={readout}
        square
        plain
      />
    </figure>
  );
}

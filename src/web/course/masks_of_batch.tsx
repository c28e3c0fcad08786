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

/// The tokens of these ids. `role` is "query" or "key".
const tokenAxis = (role: string, ids: number[], words: string[]): Axis => ({
  tokens: true,
  short: (i) => words[ids[i]!]!,
  long: (i) => `${role} “${words[ids[i]!]}” (position ${i})`,
  pad: (i) => ids[i] === 0,
});

export function BatchMasks({ words, source, target, sourcePad, targetPad, sentence, readout }: Props) {
  const [sourceIds, targetIds] = [source[sentence]!, target[sentence]!];
  const ofSource = paddingMask(sourceIds, sourcePad);
  const ofTarget = paddingMask(targetIds, targetPad);
  const future = lookAheadMask(targetIds.length);
  const batch = { sentences: source.length, readout };
  const sourcePadding = {
    ...batch,
    rows: allQueries,
    cols: tokenAxis("key", sourceIds, words.source),
    padding: [ofSource],
  };
  const targetKeys = tokenAxis("key", targetIds, words.target);
  const targetAxes = { rows: tokenAxis("query", targetIds, words.target), cols: targetKeys };
  return (
    <div class="batch-masks">
      <div>
        <Map title="encoder_padding" {...sourcePadding} />
        <Map title="target_padding" {...batch} rows={allQueries} cols={targetKeys} padding={[ofTarget]} />
        <Map title="cross_padding" {...sourcePadding} />
      </div>
      <div>
        <Map title="look_ahead" {...targetAxes} sentences={1} future={future} readout={readout} />
        <Map
          title="decoder_combined"
          {...batch}
          {...targetAxes}
          padding={future.map(() => ofTarget)}
          future={future}
          mask={combinedMask(ofTarget, future)}
        />
      </div>
    </div>
  );
}

interface MapProps {
  title: string;
  sentences: number; // 1 if all sentences share the mask
  rows: Axis;
  cols: Axis;
  padding?: number[][];
  future?: number[][];
  mask?: number[][]; // if it combines both
  readout: ReadoutSignal;
}

function Map({
  title,
  sentences,
  rows,
  cols,
  padding,
  future,
  mask = padding ?? future!,
  readout,
}: MapProps): ComponentChildren {
  const [height, width] = [mask.length, mask[0]!.length];
  const reasons = (row: number, col: number) => reasonsFor(padding?.[row]?.[col], future?.[row]?.[col]);
  return (
    <figure class="mask" data-mask={title}>
      <figcaption>
        <code>{title}</code> <span class="shape">{`[${sentences}, ${height}, ${width}]`}</span>
      </figcaption>
      <HeatMap
        name={title}
        matrix={{ rows: height, cols: width, at: (row, col) => (mask[row]![col] ? NaN : 0) }}
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

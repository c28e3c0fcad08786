// A mask of one sentence, queries by keys. 1 means blocked, 0 means visible.
import { tokenAxis } from "../trace/axes";
import type { Cells } from "../trace/matrix";
import { maskOfSentence, reasonText, type Blocker } from "../trace/reasons";
import type { Side, Trace } from "../trace/trace";
import type { MaskName } from "../trace/types";
import { HeatMap, type HeatMapProps } from "./heat_map";
import type { ReadoutSignal } from "./readout";
import "./mask_map.css";

export const maskWords = (name: string): string => name.replace("look_ahead", "look-ahead").replaceAll("_", " ");

interface Props {
  trace: Trace;
  name: MaskName;
  title: string;
  note?: string;
  mask: Cells; // as the trace stores it: for all sentences
  sentence: number;
  queries: Side;
  keys: Side;
  blocked: (query: number, key: number) => Blocker[];
  opened?: HeatMapProps["opened"];
  choose?: HeatMapProps["choose"];
  readout: ReadoutSignal;
  fade?: boolean;
}

export function MaskMap({ trace, name, title, note = "", mask, sentence, queries, keys, ...rest }: Props) {
  // The look-ahead mask is the same for all sentences.
  const cells = name === "look_ahead" ? mask : maskOfSentence(mask, trace.sentences, sentence, queries.length);
  return (
    <figure class="mask" data-mask={name}>
      <figcaption>
        <b>{title}</b>
        <span class="note">{note}</span>
      </figcaption>
      <HeatMap
        name={`${maskWords(name)} mask`}
        matrix={{ rows: cells.rows, cols: cells.cols, at: (row, col) => (cells.at(row, col) ? NaN : 0) }}
        rows={tokenAxis(queries, sentence, "query")}
        cols={tokenAxis(keys, sentence, "key")}
        scale={{ kind: "amount", limit: 1 }}
        value={(row, col) => {
          if (cells.at(row, col)) return `1, blocked: ${reasonText(rest.blocked(row, col))}`;
          return rest.opened?.(row, col) ? "0, visible: you opened this" : "0, visible";
        }}
        short={(row, col) => String(cells.at(row, col))}
        square
        plain
        {...rest}
      />
    </figure>
  );
}

// The heads of one sentence side by side, with one readout: a map with square cells, queries by keys, for each head.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { range } from "../base/numbers";
import { tokenAxis } from "../trace/axes";
import type { Matrix } from "../trace/matrix";
import { blockedBy, openedAgainst } from "../trace/reasons";
import type { Side, Trace } from "../trace/trace";
import type { AttentionKind, VariantJson } from "../trace/types";
import { EnlargeButton } from "./enlarge_button";
import { HeatMap } from "./heat_map";
import type { MapLink } from "./pointing";
import { Readout, useReadout } from "./readout";
import { scaleFor, type Scale } from "./scale";
import { ScaleLegend } from "./scale_legend";
import "./head_row.css";

/// If the reader can switch heads off.
export interface HeadSwitch {
  isOff: (head: number) => boolean;
  button: (head: number) => ComponentChildren;
}

interface Props {
  trace: Trace;
  name: string;
  matrix: Matrix; // [B*H*queries, keys]
  sentence: number;
  queries: Side;
  keys: Side;
  kind: AttentionKind | undefined; // if known, blocked cells are hatched
  blockedLater?: number | undefined; // the step that blocks them, if the numbers are from before that
  variant?: VariantJson; // whose masks block them; by default, the model's own
  scale?: Scale;
  heads?: HeadSwitch;
  link?: Omit<MapLink, "firstRow">; // if it belongs to a step whose numbers are explained
}

export function HeadRow(props: Props) {
  const { trace, name, matrix, sentence, queries, keys, kind, variant, link, scale = scaleFor(matrix) } = props;
  const count = trace.json.model.heads;
  const readout = useReadout();
  const enlarged = useSignal(false);
  const numbersShown = useSignal(false);
  const isOff = (head: number) => props.heads?.isOff(head) ?? false;
  const firstRow = (head: number) => (sentence * count + head) * queries.length;
  return (
    <div class="head-row">
      <div class={enlarged.value ? "heads side-by-side enlarged" : "heads side-by-side"}>
        {range(count).map((head) => (
          <div key={head} class={isOff(head) ? "head off" : "head"}>
            <p class="head-name">{props.heads ? props.heads.button(head) : `head ${head}`}</p>
            <HeatMap
              name={`${name}, sentence ${sentence}, head ${head}${isOff(head) ? ", which is off" : ""}`}
              matrix={matrix.rowsFrom(firstRow(head), queries.length)}
              rows={tokenAxis(queries, sentence, "query")}
              cols={tokenAxis(keys, sentence, "key")}
              blocked={kind && ((row, col) => blockedBy(trace, kind, sentence, row, col, variant))}
              opened={kind && ((row, col) => openedAgainst(trace, kind, sentence, row, col, variant).length > 0)}
              {...(props.blockedLater !== undefined && { blockedLater: props.blockedLater })}
              {...{ scale, readout, enlarged, numbersShown }}
              {...(link && { link: { ...link, firstRow: firstRow(head) } })}
              square
              plain
            />
          </div>
        ))}
      </div>
      <div class="heat-map-foot">
        <ScaleLegend {...{ scale, numbersShown }} />
        <EnlargeButton enlarged={enlarged} />
      </div>
      <Readout reading={readout} />
    </div>
  );
}

// The blocked cells of a mask, as runs of cells that are hatched alike.
import { ATTENTION_KINDS } from "../trace/names";
import { blockedBy, hatchKind, maskOfSentence, type HatchKind } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import type { AttentionKind } from "../trace/types";

/// Blocked cells next to each other in a row.
export interface Run {
  row: number;
  col: number; // of the first cell
  count: number;
}

interface MaskRuns {
  rows: number;
  cols: number;
  runs: Record<HatchKind, Run[]>;
}

export function maskRuns(trace: Trace, kind: AttentionKind, sentence: number): MaskRuns {
  const { mask: name, rows: queries } = ATTENTION_KINDS[kind];
  const mask = maskOfSentence(trace.matrix(trace.own.masks[name]), trace.sentences, sentence, trace[queries].length);
  const runs: Record<HatchKind, Run[]> = { future: [], padding: [], both: [], neither: [], reader: [] };
  for (let row = 0; row < mask.rows; ++row) {
    let last: HatchKind | null = null;
    for (let col = 0; col < mask.cols; ++col) {
      const hatch = mask.at(row, col) ? hatchKind(blockedBy(trace, kind, sentence, row, col)) : null;
      if (hatch && hatch === last) runs[hatch].at(-1)!.count += 1;
      else if (hatch) runs[hatch].push({ row, col, count: 1 });
      last = hatch;
    }
  }
  return { rows: mask.rows, cols: mask.cols, runs };
}

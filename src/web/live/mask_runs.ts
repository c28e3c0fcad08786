// Masks as text for a link: the lengths of their runs of equal cells, in base 36. The first run is of open cells.
import type { MaskCells, Masks } from "../engine/protocol";

const NAMES = ["encoder_padding", "decoder_combined", "cross_padding"] as const;

/// "2.4.4:5.3.…": sentences, source length, target length, and the runs of all three masks, one after the other.
export function masksToText(masks: Masks): string {
  const { sentences, queries: target, keys: source } = masks.cross_padding;
  const runs: number[] = [];
  let [last, count] = [0, 0];
  for (const name of NAMES) {
    for (const cell of masks[name].blocked) {
      if (cell === last) {
        count += 1;
        continue;
      }
      runs.push(count);
      [last, count] = [cell, 1];
    }
  }
  runs.push(count);
  const digits = (numbers: number[]) => numbers.map((number) => number.toString(36)).join(".");
  return `${digits([sentences, source, target])}:${digits(runs)}`;
}

/// null: this text is not that of masks with at most `most` positions for so many sentences.
export function masksFromText(text: string, sentences: number, most: number): Masks | null {
  if (!/^[0-9a-z]{1,4}(\.[0-9a-z]{1,4}){2}:[0-9a-z]{1,5}(\.[0-9a-z]{1,5})*$/.test(text)) return null;
  const [sizes, runs] = text.split(":").map((part) => part.split(".").map((number) => parseInt(number, 36)));
  const [found, source, target] = sizes as [number, number, number];
  if (found !== sentences || source < 1 || target < 1 || source > most || target > most) return null;
  const counts = [source * source, target * target, target * source].map((cells) => cells * sentences);
  const cells = new Uint8Array(counts.reduce((sum, count) => sum + count));
  let at = 0;
  for (const [i, run] of runs!.entries()) {
    if (at + run > cells.length) return null;
    cells.fill(i % 2, at, at + run);
    at += run;
  }
  if (at !== cells.length) return null;
  const mask = (queries: number, keys: number, begin: number): MaskCells => {
    const blocked = cells.slice(begin, begin + sentences * queries * keys);
    return { sentences, queries, keys, blocked };
  };
  return {
    encoder_padding: mask(source, source, 0),
    decoder_combined: mask(target, target, counts[0]!),
    cross_padding: mask(target, source, counts[0]! + counts[1]!),
  };
}

// The updates that the page has made, in order of their numbers. Some may be missing: those until a snapshot that came
// with the page.
import type { Update } from "../engine/protocol";

/// The first place whose update has at least this number.
function placeOf(log: Update[], number: number): number {
  let [first, end] = [0, log.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (log[middle]!.number < number) first = middle + 1;
    else end = middle;
  }
  return first;
}

/// Null if the page has not made this update.
export function updateOf(log: Update[], number: number): Update | null {
  const found = log[placeOf(log, number)];
  return found?.number === number ? found : null;
}

/// The log with updates that were made one after the other. They may be in it already: training is deterministic, so
/// they are the same again.
export function withUpdates(log: Update[], made: Update[]): Update[] {
  if (made.every(({ number }) => updateOf(log, number))) return log;
  const before = log.slice(0, placeOf(log, made[0]!.number));
  return [...before, ...made, ...log.slice(placeOf(log, made.at(-1)!.number + 1))];
}

/// A place on a curve; null: the page does not know its update.
export interface CurvePlace {
  number: number;
  update: Update | null;
}

/// All updates of the log, with one unknown place in every gap, so that no line crosses it; and `position`, if it lies
/// outside.
export function curveOf(log: Update[], position: number): CurvePlace[] {
  const places: CurvePlace[] = [];
  const unknown = (number: number) => places.push({ number, update: null });
  const first = log[0]?.number ?? 0;
  const last = log.at(-1)?.number ?? 0;
  if (position > 0 && position < first - 1) unknown(position);
  for (const update of log) {
    const before = places.at(-1)?.number;
    if (before !== undefined && before + 1 < update.number) unknown(before + 1);
    places.push({ number: update.number, update });
  }
  if (position > last) unknown(position);
  return places;
}

// The updates that the page has made, in order of their numbers. Some may be missing: those until a snapshot that came
// with the page.
import type { Update } from "../engine/protocol";

/// The list grows in place: a report must not copy what a long training has made. Each change makes another object
/// around it, so that a signal of the log sees it.
export interface UpdateLog {
  readonly list: readonly Update[];
}

export const EMPTY: UpdateLog = { list: [] };

/// The first place whose update has at least this number.
function placeOf({ list }: UpdateLog, number: number): number {
  let [first, end] = [0, list.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (list[middle]!.number < number) first = middle + 1;
    else end = middle;
  }
  return first;
}

/// Null if the page has not made this update.
export function updateOf(log: UpdateLog, number: number): Update | null {
  const found = log.list[placeOf(log, number)];
  return found?.number === number ? found : null;
}

/// Adds updates that were made one after the other. They may be in the log already: training is deterministic, so they
/// are the same again.
export function addUpdates(log: UpdateLog, made: Update[]): UpdateLog {
  if (made.every(({ number }) => updateOf(log, number))) return log;
  const place = placeOf(log, made[0]!.number);
  if (log === EMPTY) return { list: [...made] };
  (log.list as Update[]).splice(place, placeOf(log, made.at(-1)!.number + 1) - place, ...made);
  return { list: log.list };
}

/// A place on a curve; null: the page does not know its update.
interface CurvePlace {
  number: number;
  update: Update | null;
}

const MOST_PLACES = 2000;

/// A curve has every update of a short log, every second one of a longer one, every fourth one of an even longer one.
export function curveStep({ list }: UpdateLog): number {
  let step = 1;
  while (list.length / step > MOST_PLACES) step *= 2;
  return step;
}

/// The updates of the log, the last one among them, with one unknown place in every gap, so that no line crosses it; and
/// `position`, if it lies outside.
export function curveOf(log: UpdateLog, position: number): CurvePlace[] {
  const { list } = log;
  const places: CurvePlace[] = [];
  const unknown = (number: number) => places.push({ number, update: null });
  const first = list[0]?.number ?? 0;
  const last = list.at(-1)?.number ?? 0;
  if (position > 0 && position < first - 1) unknown(position);
  const step = curveStep(log);
  let before = 0;
  for (let i = 0; i < list.length; ++i) {
    if (i % step !== 0 && i !== list.length - 1) continue;
    const [update, start] = [list[i]!, list[before]!.number];
    if (update.number - start > i - before) unknown(start + 1);
    places.push({ number: update.number, update });
    before = i;
  }
  if (position > last) unknown(position);
  return places;
}

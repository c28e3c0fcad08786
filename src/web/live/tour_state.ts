// Where the reader is on the tour.
import { batch, computed, signal } from "@preact/signals";
import { trace } from "./pass_state";
import { choices, section } from "./route";
import { SECTIONS } from "./sections";
import { stepOfStop, stopsFor, type Stop } from "./tour_stops";

/// null: the reader is not on the tour.
export const place = signal<number | null>(null);

const ids = SECTIONS.map(({ id }) => id);
export const stops = computed<Stop[]>(() => (trace.value ? stopsFor(trace.value, ids) : []));
export const stop = computed<Stop | null>(() => (place.value === null ? null : (stops.value[place.value] ?? null)));

/// Goes to a stop: shows its section and its step.
export function goToStop(next: number): void {
  const to = stops.peek()[next];
  if (!to || !trace.peek()) return;
  batch(() => {
    place.value = next;
    section.value = SECTIONS.find(({ id }) => id === to.section)!;
    if (to.step) choices.step.value = stepOfStop(trace.peek()!, to);
    if (to.section !== "walk") history.replaceState(null, "", `#${to.section}`);
  });
}

/// The tour ends where it is; the reader stays.
export function leaveTour(): void {
  place.value = null;
}

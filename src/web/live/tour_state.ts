// Where the reader is on the tour.
import { batch, computed, effect, signal } from "@preact/signals";
import { trace } from "./pass_state";
import { choices, section } from "./route";
import { SECTIONS } from "./sections";
import { stepOfStop, stopsFor, type Stop } from "./tour_stops";

/// null: the reader is not on the tour.
export const place = signal<number | null>(null);

const ids = SECTIONS.map(({ id }) => id);
export const stops = computed<Stop[]>(() => (trace.value ? stopsFor(trace.value, ids) : []));
export const stop = computed<Stop | null>(() => (place.value === null ? null : (stops.value[place.value] ?? null)));

/// The step of the walk where the reader was before the tour.
let stepBefore = 0;
/// The section that the reader left the tour at: it stays open, without its questions, until the reader goes on.
export const leftAt = signal<string | null>(null);
effect(() => {
  if (section.value.id !== leftAt.peek()) leftAt.value = null;
});

/// Goes to a stop: shows its section and its step.
export function goToStop(next: number): void {
  const to = stops.peek()[next];
  if (!to || !trace.peek()) return;
  batch(() => {
    if (place.peek() === null) stepBefore = choices.step.peek();
    place.value = next;
    section.value = SECTIONS.find(({ id }) => id === to.section)!;
    if (to.step) choices.step.value = stepOfStop(trace.peek()!, to);
    if (to.section !== "walk") history.replaceState(null, "", `#${to.section}`);
  });
}

/// The tour ends where it is; the reader stays. Elsewhere, the walk is where it was before.
export function leaveTour(): void {
  batch(() => {
    leftAt.value = section.peek().id;
    if (leftAt.peek() !== "walk") choices.step.value = stepBefore;
    place.value = null;
  });
}

// What the page shows: a trace, and what the reader has chosen.
import { effect, signal } from "@preact/signals";
import { makeChoices, mostPadded, stepOf } from "../sections/choices";
import { stepAddress } from "../figures/step_address";
import { partTitle } from "../trace/names";
import { Trace } from "../trace/trace";
import type { TraceJson } from "../trace/types";
import { SECTIONS, type Section } from "./sections";

const readTrace = (): TraceJson => JSON.parse(document.getElementById("trace")!.textContent ?? "");

export const trace = signal(new Trace(readTrace()));
export const section = signal<Section>(SECTIONS[0]!);
export const choices = makeChoices();
choices.sentence.value = mostPadded(trace.peek());

/// Shows what the address asks for: "#masks" is a section, "#step-17" a step of the walk. `focus`: the focus follows.
export function follow(address: string, focus: boolean): void {
  const step = /^#step-(\d+)$/.exec(address);
  const wanted = SECTIONS.find(({ id }) => address === `#${id}`);
  if (step) {
    choices.step.value = Math.max(0, Math.min(trace.peek().steps.length, Number(step[1])) - 1);
    section.value = SECTIONS.find(({ id }) => id === "walk")!;
  } else if (wanted) {
    section.value = wanted;
  }
  if (focus && (step || wanted)) choices.focus.value = step ? "step" : "section";
  showAddress();
}

/// The address and the title of the page follow the step of the walk.
function showAddress(): void {
  const { id, title } = section.value;
  if (id !== "walk") {
    document.title = `${title} · one pass through a transformer`;
    return;
  }
  const number = stepOf({ trace: trace.value, choices });
  history.replaceState(null, "", stepAddress(number));
  document.title = `Step ${number + 1}: ${partTitle(trace.value, trace.value.step(number).part)}`;
}
effect(showAddress);

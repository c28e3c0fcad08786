// Where the reader is: a section, and in the walk a step. The address of the page follows, and leads back.
import { effect, signal } from "@preact/signals";
import { stepAddress } from "../figures/step_address";
import { makeChoices, stepOf } from "../sections/choices";
import { trace } from "./pass_state";
import { SECTIONS, type LiveSection } from "./sections";

export const section = signal<LiveSection>(SECTIONS[0]!);
export const choices = makeChoices();

/// Shows what the address asks for: "#masks" is a section, "#step-17" a step of the walk. `focus`: the focus follows.
export function follow(address: string, focus: boolean): void {
  const step = /^#step-(\d+)$/.exec(address);
  const wanted = SECTIONS.find(({ id }) => address === `#${id}`);
  if (step) {
    choices.step.value = Number(step[1]) - 1;
    section.value = SECTIONS.find(({ id }) => id === "walk")!;
  } else if (wanted) {
    section.value = wanted;
  }
  if (focus && (step || wanted)) choices.focus.value = step ? "step" : "section";
}

/// The address and the title of the page follow.
effect(() => {
  const { id, title } = section.value;
  document.title = `${title} · Glassformer live`;
  if (id === "walk" && trace.value) {
    history.replaceState(null, "", stepAddress(stepOf({ trace: trace.value, choices })));
  }
});

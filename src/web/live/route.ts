// Where the reader is: a section, and in the walk a step. The address of the page follows, and leads back.
import { effect, signal } from "@preact/signals";
import { stepAddress } from "../figures/step_address";
import { courseRoute } from "../course/route";
import { makeChoices, stepOf } from "../sections/choices";
import { chapter, showChapter } from "./course_state";
import { trace } from "./pass_state";
import { SECTIONS, type LiveSection } from "./sections";

export const section = signal<LiveSection>(SECTIONS[0]!);
export const choices = makeChoices();

/// Shows what the address asks for: "#masks" is a section, "#step-17" a step of the walk. `focus`: the focus follows.
/// "#/course" and what begins with it is the course.
export function follow(address: string, focus: boolean): void {
  const page = courseRoute(address);
  if (page) return showChapter(page, focus);
  const step = /^#step-(\d+)$/.exec(address);
  const wanted = SECTIONS.find(({ id }) => address === `#${id}`);
  if (step) {
    choices.step.value = Number(step[1]) - 1;
    section.value = SECTIONS.find(({ id }) => id === "walk")!;
  } else if (wanted) {
    section.value = wanted;
  }
  if (step || wanted) chapter.value = null;
  if (focus && (step || wanted)) choices.focus.value = step ? "step" : "section";
}

/// The address and the title of the page follow.
effect(() => {
  const { id, title } = section.value;
  if (chapter.value) {
    document.title = "Course · Glassformer live";
    return;
  }
  document.title = `${title} · Glassformer live`;
  if (id === "walk" && trace.value) {
    history.replaceState(null, "", stepAddress(stepOf({ trace: trace.value, choices })));
  }
});

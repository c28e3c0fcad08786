// Below a section: the chapters of the course that explain it. In the walk, those that explain the step.
import { courseAddress } from "../course/route";
import { stepOf } from "../sections/choices";
import { trace } from "./pass_state";
import { choices } from "./route";
import { CHAPTERS_OF, type ChapterLink } from "./section_chapters";
import { chaptersOfStep } from "./step_chapters";

function chaptersFor(section: string): ChapterLink[] {
  if (section !== "walk" || !trace.value) return CHAPTERS_OF[section] ?? [];
  return chaptersOfStep(trace.value.step(stepOf({ trace: trace.value, choices })));
}

export function ChapterLinks({ section }: { section: string }) {
  const chapters = chaptersFor(section);
  if (chapters.length === 0) return null;
  return (
    <p class="chapter-links">
      Why?{" "}
      {chapters.map(({ number, title, page, minutes }, i) => (
        <span key={page}>
          {i > 0 && " · "}
          <a href={courseAddress(page)}>
            Chapter {number}, {title}
          </a>{" "}
          ({minutes} min)
        </span>
      ))}
    </p>
  );
}

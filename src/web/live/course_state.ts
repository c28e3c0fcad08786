// The course in the live page: where its pages come from, and which of them is shown.
import { signal } from "@preact/signals";
import { messageOf } from "../base/message";
import type { CourseRoute } from "../course/route";
import { hasCourse, openCourse, type CourseSource } from "../course/source";

/// The page of the course that is shown; null: the page shows a section.
export const chapter = signal<CourseRoute | null>(null);
/// Whether the reader has followed a link to it.
export const followed = signal(false);
export const source = signal<CourseSource | null>(null);
export const courseProblem = signal<string | null>(null);

let opened = false;

export function showChapter(route: CourseRoute, byLink: boolean): void {
  followed.value = byLink;
  chapter.value = route;
  if (opened || !hasCourse()) return;
  opened = true;
  courseProblem.value = null;
  openCourse().then(
    (found) => (source.value = found),
    (problem: unknown) => {
      opened = false; // the next link tries again
      courseProblem.value = messageOf(problem);
    },
  );
}

// The course inside the live page.
import { Course } from "../course/course";
import { COURSE_FIGURES } from "../course/figures";
import { chapter, courseProblem, followed, source } from "./course_state";
import { AttentionLink, SearchLink } from "./course_links";

const FIGURES = { ...COURSE_FIGURES, attention: AttentionLink, search_tree: SearchLink };

export function CoursePage() {
  if (courseProblem.value !== null) {
    return <p role="alert">The course could not be opened: {courseProblem.value}</p>;
  }
  if (!source.value || !chapter.value) return <p role="status">Opening the course …</p>;
  return <Course route={chapter.value} source={source.value} figures={FIGURES} followed={followed.value} />;
}

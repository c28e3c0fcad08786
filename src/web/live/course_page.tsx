// The course inside the live page.
import { Course } from "../course/course";
import { COURSE_FIGURES } from "../course/figures";
import { hasCourse } from "../course/source";
import { chapter, courseProblem, followed, source } from "./course_state";
import { AttentionLink, SearchLink } from "./course_links";

const FIGURES = { ...COURSE_FIGURES, attention: AttentionLink, search_tree: SearchLink };

export function CoursePage() {
  if (!hasCourse()) return <WithoutCourse />;
  if (courseProblem.value !== null) {
    return <p role="alert">The course could not be opened: {courseProblem.value}</p>;
  }
  if (!source.value || !chapter.value) return <p role="status">Opening the course …</p>;
  return <Course route={chapter.value} source={source.value} figures={FIGURES} followed={followed.value} />;
}

const WithoutCourse = () => (
  <section aria-labelledby="no-course">
    <h2 id="no-course">The course is not in this page</h2>
    <p>
      The project has it in the directory <code>docs/course</code>: begin with <code>docs/course/README.md</code>. The
      page that <code>scripts/live.sh</code> makes has the course in it. <a href="#text">Back to the first section</a>
    </p>
  </section>
);

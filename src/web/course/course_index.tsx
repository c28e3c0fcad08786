// The index of the course: all chapters in their order, the labs, and the other pages.
import { useArrival } from "./arrival";
import { courseAddress } from "./route";
import { questionOf, shortTitleOf, titleOf } from "./titles";
import type { PageEntry } from "./types";
import "./course_index.css";

export function CourseIndexPage({ pages, followed }: { pages: PageEntry[]; followed: boolean }) {
  const heading = useArrival(followed);
  const of = (kind: PageEntry["kind"]) => pages.filter((page) => page.kind === kind);
  const labs = new Map(of("lab").map((lab) => [lab.id, lab]));
  return (
    <section class="course-index" aria-labelledby="course-title">
      <h2 id="course-title" tabIndex={-1} ref={heading}>
        The course
      </h2>
      <p class="lead">
        Write a transformer yourself. Each chapter explains one part of the model, with its code, its gradient and its
        numbers. In the labs, you write the most important functions.
      </p>
      <ol class="chapter-list">
        {of("chapter").map((page) => (
          <ChapterItem key={page.id} page={page} labs={page.labs.map((id) => labs.get(id)!)} />
        ))}
      </ol>
      <h3>Other pages</h3>
      <ul class="page-list">
        {of("page").map((page) => (
          <li key={page.id}>
            <a href={courseAddress(page.id)}>{titleOf(page)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ChapterItem({ page, labs }: { page: PageEntry; labs: PageEntry[] }) {
  return (
    <li>
      <a class="chapter-link" href={courseAddress(page.id)}>
        {shortTitleOf(page)}
      </a>
      <span class="asks">{questionOf(page)}</span>
      <span class="note">
        {[
          page.minutes > 0 && <span key="minutes">{page.minutes} minutes</span>,
          page.figures.length > 0 && (
            <span key="figure" class="has-figure">
              with a figure to try
            </span>
          ),
          ...labs.map((lab) => (
            <a key={lab.id} href={courseAddress(lab.id)} title={lab.title}>
              lab {lab.number}
            </a>
          )),
        ]}
      </span>
    </li>
  );
}

// Below a section: the chapters of the course that explain it.
import { courseAddress } from "../course/route";
import { CHAPTERS_OF } from "./section_chapters";

export function ChapterLinks({ section }: { section: string }) {
  const chapters = CHAPTERS_OF[section] ?? [];
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

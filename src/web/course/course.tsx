// The course: its index, or one of its pages. The page around it owns the address and passes on what courseRoute makes
// of it.
import { useEffect, useRef } from "preact/hooks";
import { Chapter } from "./chapter";
import { CourseIndexPage } from "./course_index";
import { courseAddress, type CourseRoute } from "./route";
import type { FigureTable } from "./slots";
import type { CourseSource } from "./source";

export interface CourseProps {
  route: CourseRoute;
  source: CourseSource;
  figures: FigureTable;
  /// Whether the reader has followed a link to the course, and not just opened the document.
  followed?: boolean;
}

export function Course(props: CourseProps) {
  const isFirst = useRef(true);
  useEffect(() => {
    isFirst.current = false;
  }, []);
  const followed = props.followed || !isFirst.current;
  const { pages } = props.source.index;
  const { page: id } = props.route;
  if (id === "") return <CourseIndexPage pages={pages} followed={followed} />;
  const page = pages.find((entry) => entry.id === id);
  if (page) return <Chapter key={id} {...props} page={page} followed={followed} />;
  return (
    <section class="chapter-page" aria-labelledby="chapter-title">
      <h2 id="chapter-title">There is no such page</h2>
      <p>
        The course has no page “{id}”. <a href={courseAddress()}>All chapters</a>
      </p>
    </section>
  );
}

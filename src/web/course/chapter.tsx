// A page of the course: where you are, its contents, its text with live figures in the slots, and the pages around it.
import { useSignal } from "@preact/signals";
import { createPortal, type RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useArrival } from "./arrival";
import { ChapterContents, useCurrentHeading } from "./contents";
import type { CourseProps } from "./course";
import { mountText, type MountedText } from "./mount_text";
import { courseAddress } from "./route";
import type { FigureTable, Parameters, SlotName } from "./slots";
import type { CourseSource } from "./source";
import { shortTitleOf, titleOf } from "./titles";
import type { PageEntry } from "./types";
import "./chapter.css";

interface Props extends CourseProps {
  page: PageEntry;
  followed: boolean;
}

export function Chapter({ page, source, figures, route, followed }: Props) {
  const heading = useArrival(followed);
  const box = useRef<HTMLDivElement>(null);
  const { text, failure } = useText(box, page, source);
  useEffect(() => {
    if (!text || route.heading === "") return;
    document.getElementById(courseAddress(page.id, route.heading).slice(1))?.scrollIntoView({ behavior: "instant" });
  }, [text, route.heading]);
  const current = useCurrentHeading(box, text);

  return (
    <section class="chapter-page" aria-labelledby="chapter-title">
      <Place page={page} pages={source.index.pages} />
      <h2 id="chapter-title" tabIndex={-1} ref={heading}>
        {titleOf(page)}
      </h2>
      <div class="chapter-columns">
        {page.headings.length > 1 && <ChapterContents page={page} current={current} />}
        <div class="chapter-body">
          {failure && (
            <p class="warning" role="alert">
              This page could not be loaded: {failure}
            </p>
          )}
          {page.kind !== "page" && <ProjectNote isChapter={page.kind === "chapter"} />}
          <div class="chapter-text" ref={box} aria-busy={!text && !failure} />
          {text?.slots.map((slot) => filledSlot(slot, figures))}
          <Around page={page} pages={source.index.pages} />
        </div>
      </div>
    </section>
  );
}

/// Loads the text of a page into its box: null until it is there. `failure` says why it could not be loaded.
function useText(box: RefObject<HTMLDivElement | null>, page: PageEntry, source: CourseSource) {
  const text = useSignal<MountedText | null>(null);
  const failure = useSignal("");
  useEffect(() => {
    let isHere = true;
    source.load(page.id).then(
      (fragment) => isHere && (text.value = mountText(box.current!, fragment)),
      (error: Error) => (failure.value = error.message),
    );
    return () => {
      isHere = false;
      text.peek()?.leave();
    };
  }, []);
  return { text: text.value, failure: failure.value };
}

/// What works here, and whose numbers these are.
const ProjectNote = ({ isChapter }: { isChapter: boolean }) => (
  <p class="note needs-project">
    Everything here works, except commands, the files they name, the debugger walk and the page that the command{" "}
    <code>explain</code> writes: they need the project on your computer. See{" "}
    <a href={courseAddress("start", "set-up")}>Set up</a>.{" "}
    {isChapter && (
      <>
        Unless the chapter names another model, its numbers are from <code>debug</code> after 20 updates. This page
        calls that model “Eight numbers per word”.
      </>
    )}
  </p>
);

/// A figure in its slot. It stays empty if the figure is missing.
function filledSlot(slot: HTMLElement, figures: FigureTable) {
  const { figure, ...parameters } = slot.dataset;
  const Figure = figures[figure as SlotName];
  return Figure && createPortal(<Figure parameters={parameters as Parameters} />, slot);
}

/// Where you are: in which part of the course, and how long the page takes to read.
function Place({ page, pages }: { page: PageEntry; pages: PageEntry[] }) {
  const chapter = pages.find(({ id }) => id === page.chapter);
  return (
    <nav class="course-place" aria-label="Course">
      <a href={courseAddress()}>The course</a>
      {chapter && <a href={courseAddress(chapter.id)}>{shortTitleOf(chapter)}</a>}
      <span aria-current="page">{page.kind === "lab" ? `Lab ${page.number}` : shortTitleOf(page)}</span>
      {page.minutes > 0 && <span class="minutes">{page.minutes} minutes</span>}
    </nav>
  );
}

function Around({ page, pages }: { page: PageEntry; pages: PageEntry[] }) {
  const titled = (id: string) => pages.find((other) => other.id === id);
  const [previous, next] = [titled(page.previous), titled(page.next)];
  return (
    <nav class="course-around" aria-label="Pages around this one">
      {previous ? (
        <a rel="prev" href={courseAddress(previous.id)}>
          ‹ {shortTitleOf(previous)}
        </a>
      ) : (
        <a href={courseAddress()}>‹ The course</a>
      )}
      {next && (
        <a rel="next" href={courseAddress(next.id)}>
          {shortTitleOf(next)} ›
        </a>
      )}
    </nav>
  );
}

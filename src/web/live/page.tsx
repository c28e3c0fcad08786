// The frame of the live page: links to the sections, what the engine is doing, and the chosen section.
import type { Signal } from "@preact/signals";
import { courseAddress } from "../course/route";
import { ChapterLinks } from "./chapter_links";
import { CoursePage } from "./course_page";
import { CourseVisit } from "./course_visit";
import { hasCourse } from "../course/source";
import { chapter } from "./course_state";
import { about, error, work } from "./engine_state";
import { HeadsOffNote } from "./head_chips";
import { LinkStatus } from "./link_status";
import { notice } from "./notice";
import { trace } from "./pass_state";
import { MapButton, MapColumn, MapSheet } from "../sections/map_panel";
import { SectionHeading } from "../sections/section_heading";
import { Covered } from "./question";
import { choices, section } from "./route";
import { SECTIONS } from "./sections";
import { stop } from "./tour_state";
import "./page.css";

export function SectionLinks() {
  const isShown = (id: string) => !chapter.value && id === section.value.id;
  return (
    <>
      {SECTIONS.map(({ id, short }, i) => (
        <a key={id} href={`#${id}`} data-section={id} aria-current={isShown(id) ? "page" : undefined}>
          <span class="index">{i + 1}</span> {short}
        </a>
      ))}
      {hasCourse() && (
        <a href={courseAddress()} data-section="course" aria-current={chapter.value ? "page" : undefined}>
          Course
        </a>
      )}
    </>
  );
}

/// Says something until the reader closes it.
function Message({ text }: { text: Signal<string | null> }) {
  if (text.value === null) return null;
  return (
    <p class="refusal" role="alert">
      {text.value}{" "}
      <button type="button" class="quiet" onClick={() => (text.value = null)}>
        Close
      </button>
    </p>
  );
}

export function ChosenSection() {
  if (chapter.value) return <CoursePage />;
  const index = SECTIONS.indexOf(section.value);
  const { id, title, View } = section.value;
  const next = SECTIONS[index + 1];
  return (
    <>
      <Message text={error} />
      <Message text={notice} />
      <CourseVisit />
      <LinkStatus />
      <HeadsOffNote />
      <section key={id} class={`view view-${id}`} aria-labelledby={`${id}-title`}>
        <SectionHeading id={`${id}-title`} text={`${index + 1}. ${title}`} focus={choices.focus} />
        {trace.value ? (
          <Covered trace={trace.value} section={id} sections={SECTIONS.map((one) => one.id)}>
            <View trace={trace.value} choices={choices} />
          </Covered>
        ) : (
          <Starting />
        )}
      </section>
      <ChapterLinks section={id} />
      <p class="next-section">
        {next ? <a href={`#${next.id}`}>Next: {next.title} ›</a> : <a href="#text">Back to the start ›</a>}
      </p>
    </>
  );
}

function Starting() {
  if (error.value !== null && work.value === null) return null; // the message above says why
  return <p role="status">{work.value === null ? "Starting the engine …" : `The engine is ${work.value} …`}</p>;
}

/// Where there is no map, there is no button for it.
export const PageMapButton = () => (trace.value && !chapter.value ? <MapButton /> : null);

export function PageMap() {
  if (!trace.value || chapter.value) return null;
  const { id } = section.value;
  const attention = stop.value?.section === id ? stop.value.attention : undefined;
  const props = { trace: trace.value, choices, section: id, attention };
  return (
    <>
      <MapColumn {...props} />
      <MapSheet {...props} />
    </>
  );
}

export function Footer() {
  const { version, arithmetic } = about.value ?? { version: "", arithmetic: "fused" };
  return (
    <>
      Glassformer {version}, in WebAssembly. What you enter never leaves your browser.{" "}
      {arithmetic === "emulated" &&
        "This browser or processor has no fused multiply-add, so the engine emulates it: the bits are the same, but it is slow."}
    </>
  );
}

// The frame of the page: links to the sections, and the chosen section.
import { MapColumn, MapSheet } from "../sections/map_panel";
import { SectionHeading } from "../sections/section_heading";
import { SECTIONS } from "./sections";
import { choices, section, trace } from "./state";

export function SectionLinks() {
  return SECTIONS.map(({ id, short }, i) => (
    <a key={id} href={`#${id}`} data-section={id} aria-current={id === section.value.id ? "page" : undefined}>
      <span class="index">{i + 1}</span> {short}
    </a>
  ));
}

export function ChosenSection() {
  const index = SECTIONS.indexOf(section.value);
  const { id, title, View } = section.value;
  const next = SECTIONS[index + 1];
  return (
    <>
      <section key={id} class={`view view-${id}`} aria-labelledby={`${id}-title`}>
        <SectionHeading id={`${id}-title`} text={`${index + 1}. ${title}`} focus={choices.focus} />
        <View trace={trace.value} choices={choices} />
      </section>
      <p class="next-section">
        {next ? <a href={`#${next.id}`}>Next: {next.title} ›</a> : <a href="#text">Back to the start ›</a>}
      </p>
    </>
  );
}

export function PageMap() {
  const props = { trace: trace.value, choices, section: section.value.id };
  return (
    <>
      <MapColumn {...props} />
      <MapSheet {...props} />
    </>
  );
}

export function Footer() {
  return (
    <>
      Made by glassformer explain, version {trace.value.json.glassformer}. This file needs no network. The program
      computed every number; matrices are rounded to 16 significant bits, or to 10 if they have more than 2,048 numbers.
    </>
  );
}

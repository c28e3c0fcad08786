// Where the pages of the course come from: from one file of the page with all of them, or from a directory beside it.
import { hasPageFile, readPageFile, readPageJson } from "../base/page_files";
import type { CourseIndex } from "./types";

export interface CourseSource {
  index: CourseIndex;
  load(page: string): Promise<DocumentFragment>;
}

const PACKED = "course.json"; // {index, pages: {NAME: HTML}}
const DIRECTORY = "course/";
const INDEX = `${DIRECTORY}index.json`;

/// Whether the course came with the page.
export const hasCourse = (): boolean => hasPageFile(PACKED) || hasPageFile(INDEX);

function fragmentOf(text: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.content;
}

async function packedCourse(): Promise<CourseSource> {
  const { index, pages } = (await readPageJson(PACKED)) as { index: CourseIndex; pages: Record<string, string> };
  return { index, load: async (page) => fragmentOf(pages[page]!) };
}

async function courseFiles(): Promise<CourseSource> {
  const loaded = new Map<string, string>();
  return {
    index: (await readPageJson(INDEX)) as CourseIndex,
    async load(page) {
      const file = `${DIRECTORY}${page}.html`;
      const text = loaded.get(page) ?? new TextDecoder().decode(await readPageFile(file));
      loaded.set(page, text);
      return fragmentOf(text);
    },
  };
}

export const openCourse = (): Promise<CourseSource> => (hasPageFile(PACKED) ? packedCourse() : courseFiles());

// Where the pages of the course come from: from an element of the page, if it is one file, or from files beside it.
import { unpackBytes } from "../base/packed_bytes";
import type { CourseIndex } from "./types";

export interface CourseSource {
  index: CourseIndex;
  load(page: string): Promise<DocumentFragment>;
}

/// The id of an element with all pages: gzipped JSON in base64.
const PACKED = "course.json";

function fragmentOf(text: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.content;
}

/// The pages in this document, or null if it has none.
async function packedCourse(): Promise<CourseSource | null> {
  const element = document.getElementById(PACKED);
  if (!element) return null;
  const json = new TextDecoder().decode(await unpackBytes(element.textContent ?? ""));
  const { index, pages } = JSON.parse(json) as { index: CourseIndex; pages: Record<string, string> };
  return { index, load: async (page) => fragmentOf(pages[page]!) };
}

async function readFile(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return response;
}

/// The pages as files of a directory, which ends in "/".
async function courseFiles(directory: string): Promise<CourseSource> {
  const loaded = new Map<string, string>();
  return {
    index: (await (await readFile(`${directory}index.json`)).json()) as CourseIndex,
    async load(page) {
      const text = loaded.get(page) ?? (await (await readFile(`${directory}${page}.html`)).text());
      loaded.set(page, text);
      return fragmentOf(text);
    },
  };
}

export const openCourse = async (directory = "course/"): Promise<CourseSource> =>
  (await packedCourse()) ?? (await courseFiles(directory));

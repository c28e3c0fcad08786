// Where the pages of the course come from. A page without a server has them in <template> elements; otherwise they are
// files beside it.
import type { CourseIndex } from "./types";

export interface CourseSource {
  index: CourseIndex;
  load(page: string): Promise<DocumentFragment>;
}

const INDEX = "course-index";

/// The pages in this document, or null if it has none.
function embeddedCourse(): CourseSource | null {
  const index = document.getElementById(INDEX);
  if (!index) return null;
  return {
    index: JSON.parse(index.textContent!) as CourseIndex,
    async load(page) {
      const template = document.getElementById(`course/${page}`) as HTMLTemplateElement;
      return template.content.cloneNode(true) as DocumentFragment;
    },
  };
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
      const template = document.createElement("template");
      template.innerHTML = text;
      return template.content;
    },
  };
}

export const openCourse = async (directory = "course/"): Promise<CourseSource> =>
  embeddedCourse() ?? (await courseFiles(directory));

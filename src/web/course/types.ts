// What scripts/course_pages.py writes: an index, and a piece of HTML for each page.

export interface Heading {
  id: string; // its anchor within the page
  text: string;
  level: number; // 2 for a section, 3 for a part of one
}

export interface PageEntry {
  id: string; // its address is #/course/ID
  kind: "chapter" | "lab" | "page";
  number: string; // of a chapter ("3") or a lab ("3b"), or ""
  title: string;
  minutes: number; // to read it; 0 if unknown
  chapter: string; // of a lab: the chapter that explains it
  labs: string[]; // of a chapter
  previous: string; // id, or ""
  next: string;
  headings: Heading[];
  figures: string[]; // the names of its slots
}

export interface CourseIndex {
  pages: PageEntry[];
}

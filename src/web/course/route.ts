// The addresses of the course: "#/course" is its index, "#/course/03_softmax" a page, and "#/course/03_softmax/the-code"
// a heading. They are also the ids of the headings, so the browser finds a heading by itself.

export interface CourseRoute {
  page: string; // "" for the index
  heading: string; // "" for the beginning of the page
}

/// The page that an address leads to, or null if it is not an address of the course.
export function courseRoute(hash: string): CourseRoute | null {
  const match = /^#\/course(?:\/([^/]*)(?:\/(.*))?)?$/.exec(hash);
  if (!match) return null;
  const decoded = (text = "") => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // not percent-encoded
    }
  };
  return { page: decoded(match[1]), heading: decoded(match[2]) };
}

export const courseAddress = (page = "", heading = ""): string =>
  ["#/course", page, heading].filter((part) => part !== "").join("/");

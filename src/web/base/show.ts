import { render, type JSX } from "preact";

/// Shows something in an element of the page, instead of what it has.
export function show(id: string, content: JSX.Element): void {
  const place = document.getElementById(id)!;
  place.replaceChildren();
  render(content, place);
}

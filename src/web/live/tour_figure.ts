// Where the page scrolls on the tour, so that the panel does not cover what the reader should see.

/// What gets the frame: a box that scrolls would cut off a frame inside it.
export const framed = (figure: Element | null): Element | null => figure?.closest(".scroll-box") ?? figure;

/// Scrolls to a figure. If the code stands beside it, it scrolls to the statement that computes it.
export function scrollToFigure(figure: Element | null): void {
  figure?.scrollIntoView({ block: "start" });
  const side = figure?.closest(".step-parts")?.querySelector<HTMLElement>(".step-side");
  const line = side?.querySelector(".source .statement") ?? side?.querySelector(".source .marked");
  if (!side || !line || side.scrollHeight <= side.clientHeight) return;
  const apart = line.getBoundingClientRect().top - side.getBoundingClientRect().top;
  side.scrollTop += apart - side.clientHeight / 4;
}

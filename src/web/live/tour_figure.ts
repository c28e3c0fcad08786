// Where the page scrolls on the tour, so that the panel does not cover what the reader should see.

const COVERED = "--covered-below";

/// What gets the frame: a box that scrolls would cut off a frame inside it.
export const framed = (figure: Element | null): Element | null => figure?.closest(".scroll-box") ?? figure;

/// Tells the page how much of its lower end the panel covers. Returns a function that takes it back.
export function coverBelow(panel: HTMLElement): () => void {
  const { style } = document.documentElement;
  const measure = () => style.setProperty(COVERED, `${Math.ceil(innerHeight - panel.getBoundingClientRect().top)}px`);
  const sizes = new ResizeObserver(measure);
  sizes.observe(panel);
  window.addEventListener("resize", measure);
  return () => {
    sizes.disconnect();
    window.removeEventListener("resize", measure);
    style.removeProperty(COVERED);
  };
}

/// Scrolls to a figure; `toEnd`: to its end, if there is no room for all of it. If the code stands beside it, it scrolls
/// to the statement that computes it.
export function scrollToFigure(figure: Element | null, toEnd = false): void {
  figure?.scrollIntoView({ block: toEnd && figure.clientHeight > roomFor(figure) ? "end" : "start" });
  const side = figure?.closest(".step-parts")?.querySelector<HTMLElement>(".step-side");
  const line = side?.querySelector(".source .statement") ?? side?.querySelector(".source .marked");
  if (!side || !line || side.scrollHeight <= side.clientHeight) return;
  const apart = line.getBoundingClientRect().top - side.getBoundingClientRect().top;
  side.scrollTop += apart - side.clientHeight / 4;
}

/// The height of the window between what stays at its top and the panel.
function roomFor(figure: Element): number {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(figure);
  return [scrollPaddingTop, scrollPaddingBottom, scrollMarginTop, scrollMarginBottom].reduce(
    (room, length) => room - (parseFloat(length) || 0),
    innerHeight,
  );
}

// The tour's panel: what to look at here, and the way on. It stays in sight while the page scrolls.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Trace } from "../trace/trace";
import { trace } from "./pass_state";
import { section } from "./route";
import { coverBelow, framed, scrollToFigure } from "./tour_figure";
import { goToStop, leaveTour, place, stop, stops } from "./tour_state";
import type { Stop } from "./tour_stops";
import "./tour.css";

const SHOWN = "tour-figure";
const MOST_TRIES = 40; // the engine may still be at work

export function Tour() {
  const panel = useRef<HTMLElement>(null);
  const here = stop.value;
  const number = place.value;
  useLayoutEffect(() => {
    if (!here) return;
    panel.current!.focus({ preventScroll: true });
    return showFigure(here);
  }, [here]);
  useLayoutEffect(() => (here ? coverBelow(panel.current!) : undefined), [here !== null]);
  if (!here || number === null || !trace.value) return null;
  const count = stops.value.length;
  return (
    <section
      class="tour"
      ref={panel}
      tabIndex={-1}
      aria-labelledby="tour-title"
      onKeyDown={(event) => event.key === "Escape" && leaveTour()}
    >
      <TourWords here={here} number={number} count={count} trace={trace.value} />
      <progress max={count} value={number + 1} aria-label="Progress of the tour" />
      <TourButtons number={number} isLast={number === count - 1} isAway={section.value.id !== here.section} />
    </section>
  );
}

interface WordsProps {
  here: Stop;
  number: number; // of the stop, from 0
  count: number;
  trace: Trace;
}

const TourWords = ({ here, number, count, trace }: WordsProps) => (
  <div class="tour-words">
    <h3 id="tour-title">
      <span class="note">
        Tour, stop {number + 1} of {count}
      </span>{" "}
      {here.title}
    </h3>
    <p>{here.says(trace)}</p>
    {here.ways && (
      <p class="tour-ways">
        {here.ways.map(({ text, address }) => (
          <a key={address} href={address} onClick={leaveTour}>
            {text}
          </a>
        ))}
      </p>
    )}
  </div>
);

interface ButtonsProps {
  number: number;
  isLast: boolean;
  isAway: boolean; // whether the reader has gone elsewhere
}

const TourButtons = ({ number, isLast, isAway }: ButtonsProps) => (
  <p class="tour-buttons">
    <button type="button" disabled={number === 0} onClick={() => goToStop(number - 1)}>
      ‹ Previous stop
    </button>
    {isAway && (
      <button type="button" onClick={() => goToStop(number)}>
        Back to this stop
      </button>
    )}
    {!isLast && (
      <button type="button" onClick={() => goToStop(number + 1)}>
        Next stop ›
      </button>
    )}
    <button type="button" class={isLast ? undefined : "quiet"} onClick={leaveTour}>
      {isLast ? "Close" : "Leave the tour"}
    </button>
  </p>
);

/// Marks the figure of a stop and scrolls to it, as soon as it is on the page. Returns a function that takes the mark
/// away. A stop without a figure is about the section: it has no mark.
function showFigure({ section: id, figure, step, toEnd }: Stop): () => void {
  const selector = figure ?? (step ? ".tensor.output" : null);
  let marked: Element | null = null;
  let tries = 0;
  const timer = setInterval(() => {
    const view = document.querySelector(`.view-${id}`);
    marked = selector === null ? null : framed(view?.querySelector(selector) ?? null);
    const isThere = selector === null ? view !== null : marked !== null;
    if (!isThere && ++tries < MOST_TRIES) return;
    clearInterval(timer);
    marked?.classList.add(SHOWN);
    scrollToFigure(marked ?? view, toEnd);
  }, 50);
  return () => {
    clearInterval(timer);
    marked?.classList.remove(SHOWN);
  };
}

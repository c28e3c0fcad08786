// A walk through every recorded operation, in the order of computation.
import { useLayoutEffect, useRef } from "preact/hooks";
import { ALL_SENTENCES, SentenceChooser } from "../figures/sentence_chooser";
import { partTitle } from "../trace/names";
import { sentenceOrAll, stepOf, type Choices, type SectionProps } from "./choices";
import { StepView } from "./step_view";
import { WalkBar } from "./walk_bar";
import { WalkContents } from "./walk_contents";
import "./walk_section.css";

export function WalkSection(props: SectionProps) {
  const { trace, choices } = props;
  const number = stepOf(props);
  const sentence = sentenceOrAll(props);
  const { direction, part } = trace.step(number);
  const last = trace.steps.length - 1;
  const go = (step: number) => (choices.step.value = Math.max(0, Math.min(last, step)));
  const title = useFocus(choices);
  useKeys((way) => go(Math.min(last, choices.step.peek()) + way));
  return (
    <>
      <p class="lead">
        Follow every operation of the pass, forward to the loss and back again.{" "}
        {trace.json.layer !== null && `Only layer ${trace.json.layer} is shown in full. `}
        Point at any number of an output to see how it was computed. Press the right arrow key for the next step, and
        the left arrow key for the previous one; while the focus is in this section, n and p do the same.
      </p>
      <WalkBar trace={trace} number={number} go={go} />
      <div class="walk">
        <WalkContents trace={trace} number={number} />
        <div class="step-column">
          <div class="step-head">
            <h3 id="step-title" tabIndex={-1} ref={title}>
              <span class="step-number">
                Step {number + 1} of {trace.steps.length}
              </span>
              <span class={`direction ${direction}`}>{direction}</span>
              <span class="part">{partTitle(trace, part)}</span>
            </h3>
            <SentenceChooser trace={trace} chosen={sentence} choose={(value) => choose(choices, value)} all />
          </div>
          <div class="step">
            <StepView
              key={number}
              {...{ trace, number, sentence }}
              choose={(value) => choose(choices, value)}
              cell={choices.cell}
            />
          </div>
        </div>
      </div>
    </>
  );
}

function choose(choices: Choices, sentence: number): void {
  choices.allSentences.value = sentence === ALL_SENTENCES;
  if (sentence !== ALL_SENTENCES) choices.sentence.value = sentence;
}

/// After you follow a link, the focus moves to the step's title, which scrolls into view if necessary.
function useFocus({ focus }: Choices) {
  const title = useRef<HTMLHeadingElement>(null);
  const wanted = focus.value === "step";
  useLayoutEffect(() => {
    if (!wanted) return;
    focus.value = null;
    title.current!.focus({ preventScroll: true });
    title.current!.scrollIntoView({ block: "nearest" });
  }, [wanted]);
  return title;
}

const WAYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, p: -1, n: 1 };

/// The right and left arrow keys move between steps, unless the focused element uses them itself. So do n and p, but only
/// from within the section: who speaks to the computer must be able to say words elsewhere.
function useKeys(move: (way: number) => void): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const way = WAYS[event.key];
      const target = event.target instanceof Element ? event.target : null;
      if (!way || target?.closest("select, input:not([type=radio], [type=range]), textarea")) return;
      if (document.querySelector("dialog[open]")) return;
      const isArrow = event.key.startsWith("Arrow");
      if (isArrow ? target?.closest("input, [role=application], .scroll-box") : !target?.closest(".view-walk")) return;
      event.preventDefault();
      move(way);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

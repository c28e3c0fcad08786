// Predict, then reveal: a section stays covered until its questions are answered or skipped. The tour asks nothing.
import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Trace } from "../trace/trace";
import { AnswerForm } from "./question_form";
import { givenAnswer, isRight, questionsOf, rightAnswer, type Asked, type Given } from "./questions";
import { note, outcomes, questionsOn, score, switchQuestions } from "./questions_state";
import { choices } from "./route";
import { leftAt, place } from "./tour_state";
import "./question.css";

interface Props {
  trace: Trace;
  section: string;
  sections: string[]; // of the page
  children: ComponentChildren; // what the questions cover
}

/// The button that had the focus is gone.
const focusSection = () => (choices.focus.value = "section");

interface Answered {
  asked: Asked;
  right: boolean;
  given: Given;
}

export function Covered({ trace, section, sections, children }: Props) {
  const answered = useSignal<Answered | null>(null);
  if (!questionsOn.value || place.value !== null || leftAt.value === section) return <>{children}</>;
  const open = questionsOf(section, sections).flatMap(({ id, ask }) => {
    const asked = outcomes.value[id] ? null : ask(trace);
    return asked ? [{ id, asked }] : [];
  });
  const next = open[0];
  if (answered.value) return <Feedback {...{ answered, isLast: !next }}>{!next && children}</Feedback>;
  if (!next) return <>{children}</>;
  const answer = (given: Given) => {
    const right = isRight(next.asked.form, given);
    answered.value = { asked: next.asked, right, given };
    note(next.id, right ? "right" : "wrong");
  };
  return (
    <section class="question" aria-labelledby="question-text">
      <p class="note">
        Predict, then reveal. {open.length > 1 ? `${open.length} questions` : "One question"}, then the section opens.
      </p>
      <h3 id="question-text">{next.asked.text}</h3>
      <AnswerForm key={next.id} form={next.asked.form} answer={answer} />
      <p>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            note(next.id, "skipped");
            focusSection();
          }}
        >
          Skip this question
        </button>{" "}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            switchQuestions(false);
            focusSection();
          }}
        >
          Turn off all questions
        </button>
      </p>
    </section>
  );
}

interface FeedbackProps {
  answered: Signal<Answered | null>;
  isLast: boolean;
  children: ComponentChildren;
}

/// Whether the answer was right, and why; below it, the section, if it has no more questions.
function Feedback({ answered, isLast, children }: FeedbackProps) {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => place.current!.focus({ preventScroll: true }), []);
  const { asked, right, given } = answered.value!;
  const { right: points, answered: count } = score.value;
  return (
    <>
      <section class="question" tabIndex={-1} ref={place} aria-labelledby="question-text">
        <h3 id="question-text">{asked.text}</h3>
        <p>
          {!right && <>Your answer: {givenAnswer(asked.form, given)}. </>}
          <b class={right ? "right" : "wrong"}>{right ? "Right:" : "Not quite. The answer is:"}</b>{" "}
          {rightAnswer(asked.form)}. {asked.why}
        </p>
        <p>
          <button
            type="button"
            onClick={() => {
              answered.value = null;
              focusSection();
            }}
          >
            {isLast ? "Close" : "Next question"}
          </button>{" "}
          <span class="note">
            {points} of {count} answers right so far.
          </span>
        </p>
      </section>
      {children}
    </>
  );
}

// What the reader has chosen. All sections of a page share it. The trace is not part of it, and may change at any time:
// read a choice with one of the functions below, which return one that fits the trace.
import { signal, type Signal } from "@preact/signals";
import { ALL_SENTENCES } from "../figures/sentence_chooser";
import type { CellRef } from "../trace/terms/expression";
import type { Trace } from "../trace/trace";

export interface Choices {
  sentence: Signal<number>;
  allSentences: Signal<boolean>; // in the walk, which can show the whole batch
  step: Signal<number>; // from 0; the page counts steps from 1
  cell: Signal<CellRef | null>; // chosen last in a heat map of the walk
  variant: Signal<number>; // of the masks: a place in the trace's what_if
  /// Where the focus goes next, because the reader followed a link: to the heading of the section or to that of the step.
  focus: Signal<"section" | "step" | null>;
}

export interface SectionProps {
  trace: Trace;
  choices: Choices;
}

export const makeChoices = (): Choices => ({
  sentence: signal(0),
  allSentences: signal(false),
  step: signal(0),
  cell: signal(null),
  variant: signal(1),
  focus: signal(null),
});

const within = (choice: number, count: number) => Math.max(0, Math.min(count - 1, choice));

export const sentenceOf = ({ trace, choices }: SectionProps): number => within(choices.sentence.value, trace.sentences);

export const sentenceOrAll = (props: SectionProps): number =>
  props.choices.allSentences.value ? ALL_SENTENCES : sentenceOf(props);

export const stepOf = ({ trace, choices }: SectionProps): number => within(choices.step.value, trace.steps.length);

export const variantOf = ({ trace, choices }: SectionProps): number =>
  within(choices.variant.value, trace.json.what_if.length);

/// The sentence with the most padding, which has most to show.
export function mostPadded({ source, target, sentences }: Trace): number {
  let [most, place] = [-1, 0];
  for (let sentence = 0; sentence < sentences; ++sentence) {
    const padding = [source, target].map((side) => side.ids[sentence]!.filter((id) => id === side.pad).length);
    const count = padding[0]! + padding[1]!;
    if (count > most) [most, place] = [count, sentence];
  }
  return place;
}

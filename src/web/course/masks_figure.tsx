// Chapter 1: sentences of ids to edit, and the masks of the batch that they become.
import { useSignal, type Signal } from "@preact/signals";
import { Chooser } from "../base/chooser";
import { HatchLegend } from "../figures/hatch_legend";
import { Readout, useReadout, type ReadoutSignal } from "../figures/readout";
import { padded, parseIds } from "./arithmetic/masks";
import { Sentences } from "./ids_of_batch";
import { LiveFrame } from "./live_frame";
import { BatchMasks } from "./masks_of_batch";
import { LabelledField } from "./number_field";
import { listsOf, wordsOf, type LiveFigure } from "./slots";
import "./masks_figure.css";

const MOST_SENTENCES = 3;
const REAL_PAD = 0; // what shorter sentences are filled up with

interface State {
  source: string[]; // the ids of each sentence, as text
  target: string[];
  sourcePad: number; // the id that the mask takes for padding
  targetPad: number;
}

type Change = (changed: Partial<State>) => void;

interface Words {
  source: string[]; // the word of each id
  target: string[];
}

export const MasksFigure: LiveFigure = ({ parameters }) => {
  const words: Words = { source: wordsOf(parameters["source_words"]), target: wordsOf(parameters["target_words"]) };
  const first: State = {
    source: listsOf(parameters["source"]),
    target: listsOf(parameters["target"]),
    sourcePad: REAL_PAD,
    targetPad: REAL_PAD,
  };
  const state = useSignal(first);
  const sentence = useSignal(1);
  const readout = useReadout();
  const change: Change = (changed) => (state.value = { ...state.value, ...changed });
  const { source, target } = state.value;
  const batch = batchOf(state.value, words);
  return (
    <LiveFrame
      name="masks-figure"
      title="Change the sentences"
      about="Each sentence is a row of ids. The shorter ones are filled up with 0, the id of padding."
      reset={() => {
        state.value = first;
        sentence.value = 1;
      }}
    >
      <Sentences title="source" words={words.source} texts={source} change={(texts) => change({ source: texts })} />
      <Sentences
        title="target_input"
        words={words.target}
        texts={target}
        change={(texts) => change({ target: texts })}
      />
      <BatchTools state={state.value} change={change} />
      {typeof batch === "string" ? (
        <p class="warning" role="alert">
          {batch}
        </p>
      ) : (
        <ChosenMasks state={state.value} {...{ words, batch, sentence, readout }} />
      )}
    </LiveFrame>
  );
};

interface Batch {
  source: number[][]; // padded
  target: number[][];
}

/// The ids of the sentences, or what is wrong with their text.
function batchOf({ source, target }: State, words: Words): Batch | string {
  const sourceIds = source.map((text) => parseIds(text, words.source.length));
  const targetIds = target.map((text) => parseIds(text, words.target.length));
  const wrong = [...sourceIds, ...targetIds].find((ids) => typeof ids === "string");
  if (wrong) return wrong;
  return { source: padded(sourceIds as number[][], REAL_PAD), target: padded(targetIds as number[][], REAL_PAD) };
}

/// Buttons for the number of sentences, and the ids that the masks take for padding.
function BatchTools({ state: { source, target, sourcePad, targetPad }, change }: { state: State; change: Change }) {
  const padField = { digits: 0, step: 1, least: 0, most: 99 };
  return (
    <div class="actions">
      <button
        type="button"
        disabled={source.length === MOST_SENTENCES}
        onClick={() => change({ source: [...source, "9 2"], target: [...target, "1 11"] })}
      >
        Add a sentence
      </button>
      <button
        type="button"
        disabled={source.length === 1}
        onClick={() => change({ source: source.slice(0, -1), target: target.slice(0, -1) })}
      >
        Remove the last
      </button>
      <LabelledField
        name="id of padding, source"
        value={sourcePad}
        {...padField}
        change={(id) => change({ sourcePad: id })}
      />
      <LabelledField
        name="id of padding, target"
        value={targetPad}
        {...padField}
        change={(id) => change({ targetPad: id })}
      />
    </div>
  );
}

interface ChosenProps {
  words: Words;
  batch: Batch;
  state: State;
  sentence: Signal<number>;
  readout: ReadoutSignal;
}

/// The masks of one sentence, which the reader chooses.
function ChosenMasks({ words, batch, state: { sourcePad, targetPad }, sentence, readout }: ChosenProps) {
  const chosen = Math.min(sentence.value, batch.source.length - 1);
  return (
    <>
      <Chooser
        legend="Masks of sentence"
        options={batch.source.map((_, value) => ({ value, text: String(value) }))}
        chosen={chosen}
        choose={(value) => (sentence.value = value)}
      />
      <BatchMasks {...batch} {...{ words, sourcePad, targetPad, sentence: chosen, readout }} />
      <Readout reading={readout} />
      <HatchLegend />
    </>
  );
}

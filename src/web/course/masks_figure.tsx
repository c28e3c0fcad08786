// Chapter 1: sentences of ids to edit, and the masks of the batch that they become.
import { useSignal } from "@preact/signals";
import { Chooser } from "../base/chooser";
import { HatchLegend } from "../figures/hatch_legend";
import { Readout, useReadout } from "../figures/readout";
import { padded, parseIds } from "./arithmetic/masks";
import { LiveFrame } from "./live_frame";
import { BatchMasks } from "./masks_of_batch";
import { NumberField } from "./number_field";
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

export const MasksFigure: LiveFigure = ({ parameters }) => {
  const words = { source: wordsOf(parameters["source_words"]), target: wordsOf(parameters["target_words"]) };
  const first: State = {
    source: listsOf(parameters["source"]),
    target: listsOf(parameters["target"]),
    sourcePad: REAL_PAD,
    targetPad: REAL_PAD,
  };
  const state = useSignal(first);
  const sentence = useSignal(1);
  const readout = useReadout();
  const change = (changed: Partial<State>) => (state.value = { ...state.value, ...changed });
  const { source, target, sourcePad, targetPad } = state.value;
  const parsed = {
    source: source.map((text) => parseIds(text, words.source.length)),
    target: target.map((text) => parseIds(text, words.target.length)),
  };
  const wrong = [...parsed.source, ...parsed.target].find((ids) => typeof ids === "string");
  const chosen = Math.min(sentence.value, source.length - 1);
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
      {(["source", "target"] as const).map((side) => (
        <Sentences
          key={side}
          title={side === "source" ? "source" : "target_input"}
          words={words[side]}
          texts={state.value[side]}
          change={(texts) => change({ [side]: texts })}
        />
      ))}
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
        <PadField name="id of padding, source" value={sourcePad} change={(id) => change({ sourcePad: id })} />
        <PadField name="id of padding, target" value={targetPad} change={(id) => change({ targetPad: id })} />
      </div>
      {wrong ? (
        <p class="warning" role="alert">
          {wrong}
        </p>
      ) : (
        <>
          <Chooser
            legend="Masks of sentence"
            options={source.map((_, value) => ({ value, text: String(value) }))}
            chosen={chosen}
            choose={(value) => (sentence.value = value)}
          />
          <BatchMasks
            words={words}
            source={padded(parsed.source as number[][], REAL_PAD)}
            target={padded(parsed.target as number[][], REAL_PAD)}
            {...{ sourcePad, targetPad, sentence: chosen, readout }}
          />
          <Readout reading={readout} />
          <HatchLegend />
        </>
      )}
    </LiveFrame>
  );
};

interface SentencesProps {
  title: string;
  words: string[];
  texts: string[];
  change: (texts: string[]) => void;
}

function Sentences({ title, words, texts, change }: SentencesProps) {
  return (
    <div class="id-rows">
      <b>{title}</b>
      {texts.map((text, sentence) => {
        const ids = parseIds(text, words.length);
        return (
          <label key={sentence}>
            <span class="index">{sentence}</span>
            <input
              type="text"
              inputMode="numeric"
              spellcheck={false}
              aria-label={`${title}, ids of sentence ${sentence}`}
              aria-invalid={typeof ids === "string"}
              value={text}
              onInput={({ currentTarget }) => change(texts.with(sentence, currentTarget.value))}
            />
            <bdi class="note">{typeof ids === "string" ? "" : ids.map((id) => words[id]).join(" ")}</bdi>
          </label>
        );
      })}
    </div>
  );
}

function PadField({ name, value, change }: { name: string; value: number; change: (id: number) => void }) {
  return (
    <span class="labelled">
      <span aria-hidden="true">{name}</span>
      <NumberField name={name} value={value} digits={0} step={1} least={0} most={99} change={change} />
    </span>
  );
}

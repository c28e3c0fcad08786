import { Chooser } from "../base/chooser";
import type { Trace } from "../trace/trace";
import { range } from "../base/numbers";
import "./sentence_chooser.css";

/// Chosen instead of a sentence: the whole batch.
export const ALL_SENTENCES = -1;

export const sentencesShown = (trace: Trace, sentence: number): number[] =>
  sentence === ALL_SENTENCES ? range(trace.sentences) : [sentence];

interface Props {
  trace: Trace;
  chosen: number;
  choose: (sentence: number) => void;
  all?: boolean; // offers the whole batch as well
}

export function SentenceChooser({ trace, chosen, choose, all = false }: Props) {
  const options = trace.json.sentences.map((_, value) => ({ value, text: String(value) }));
  if (all) options.push({ value: ALL_SENTENCES, text: "all" });
  const sentence = trace.json.sentences[chosen];
  return (
    <div class="sentence-chooser">
      <Chooser legend="Sentence" options={options} chosen={chosen} choose={choose} />
      <p class="quote chosen-sentence">{sentence ? <bdi>{sentence.source}</bdi> : "the whole batch"}</p>
    </div>
  );
}

// What the model predicts at every position, its loss, and the gradient of the logits.
import { useSignal } from "@preact/signals";
import { Figure } from "../base/figure";
import { formatNumber } from "../base/numbers";
import { SentenceChooser } from "../figures/sentence_chooser";
import type { Trace } from "../trace/trace";
import { AnswerDetail } from "./answer_detail";
import { AnswerTable } from "./answer_table";
import { sentenceOf, type SectionProps } from "./choices";
import "./answer_section.css";

export function AnswerSection(props: SectionProps) {
  const { trace, choices } = props;
  const sentence = sentenceOf(props);
  const { mean, cross_entropy: crossEntropy, perplexity, tokens, correct } = trace.json.loss;
  const smoothing = trace.json.model.label_smoothing;
  return (
    <>
      <p class="lead">
        At every position, the model gives each token of the vocabulary a probability. Cross-entropy is minus the
        natural logarithm of the expected token’s probability. Choose a position to see its most likely tokens and
        gradient.
      </p>
      <dl class="figures">
        <Figure term="loss" value={formatNumber(mean, 4)} note="mean over counted tokens" />
        <Figure term="cross-entropy" value={formatNumber(crossEntropy, 4)} note="mean, without label smoothing" />
        <Figure term="perplexity" value={formatNumber(perplexity, 4)} note="exp(cross-entropy)" />
        <Figure term="correct" value={`${correct} of ${tokens}`} note="padding is not counted" />
        <Figure term="label smoothing" value={String(smoothing)} note={smoothing > 0 ? smoothedFloor(trace) : "none"} />
      </dl>
      <SentenceChooser trace={trace} chosen={sentence} choose={(value) => (choices.sentence.value = value)} />
      <Answers key={sentence} trace={trace} sentence={sentence} />
    </>
  );
}

/// The lowest possible loss: that of a model that predicts exactly the smoothed target distribution.
function smoothedFloor(trace: Trace): string {
  const [smoothing, count] = [trace.json.model.label_smoothing, trace.json.vocabulary.target.length];
  const other = smoothing / count;
  const expected = 1 - smoothing + other;
  const lowest = -expected * Math.log(expected) - (count - 1) * other * Math.log(other);
  return `lowest possible loss: ${formatNumber(lowest, 4)}, when the probabilities are the smoothed targets`;
}

function Answers({ trace, sentence }: { trace: Trace; sentence: number }) {
  const choice = useSignal(0);
  const position = Math.min(choice.value, trace.target.length - 1);
  return (
    <div class="answer">
      <AnswerTable {...{ trace, sentence }} chosen={position} choose={(value) => (choice.value = value)} />
      <AnswerDetail {...{ trace, sentence, position }} />
    </div>
  );
}

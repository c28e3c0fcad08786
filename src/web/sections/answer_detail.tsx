// One position: its loss, its most likely tokens, and the gradient of its logits.
import { formatNumber, percent } from "../base/numbers";
import { Bar } from "../figures/bar";
import type { Trace } from "../trace/trace";
import type { AnswerJson } from "../trace/types";
import { LogitsGradient } from "./logits_gradient";
import "./answer_detail.css";

interface Props {
  trace: Trace;
  sentence: number;
  position: number;
}

export function AnswerDetail({ trace, sentence, position }: Props) {
  const answer = trace.json.answer[sentence]![position]!;
  const { counted, expected, likeliest } = answer;
  return (
    <div class="answer-detail">
      <h3>
        {counted ? (
          <>
            Position {position}: expected <bdi class="quote">{trace.expected.token(sentence, position)}</bdi>
          </>
        ) : (
          `Position ${position}: padding, not counted`
        )}
      </h3>
      {counted && <Loss answer={answer} smoothing={trace.json.model.label_smoothing} />}
      <h4>The {likeliest.length} most likely tokens</h4>
      <ol class="likeliest">
        {likeliest.map(({ id, token, probability }) => (
          <li key={id} class={id === expected && counted ? "expected" : undefined}>
            <bdi>{token}</bdi>
            <Bar value={probability} max={1} text={percent(probability)} />
          </li>
        ))}
      </ol>
      <h4>The gradient of the logits</h4>
      <LogitsGradient {...{ trace, sentence, position, counted }} />
    </div>
  );
}

/// Label smoothing gives every token a target probability above 0, so even the lowest loss is above 0.
function Loss({ answer, smoothing }: { answer: AnswerJson; smoothing: number }) {
  return (
    <p>
      Cross-entropy: {formatNumber(answer.cross_entropy, 4)} (minus the natural logarithm of the expected token’s
      probability).
      {smoothing > 0 && (
        <>
          {" "}
          Label smoothing of {smoothing} gives every token a little of the expected probability, so it penalises a model
          that is too confident. Loss with label smoothing: <b>{formatNumber(answer.loss, 4)}</b>.
        </>
      )}
    </p>
  );
}

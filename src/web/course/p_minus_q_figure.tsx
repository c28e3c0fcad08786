// Chapter 9: logits, the expected token and label smoothing to edit; p, q and p - q follow.
import { useSignal } from "@preact/signals";
import { ScrollBox } from "../base/tables";
import { useUniqueId } from "../base/unique_id";
import { lossOf } from "./arithmetic/cross_entropy";
import { fixed, LiveFrame, ShareBar, SignedBar } from "./live_frame";
import { NumberField } from "./number_field";
import { numbersOf, wordsOf, type LiveFigure } from "./slots";
import "./p_minus_q_figure.css";

interface State {
  logits: number[];
  expected: number;
  smoothing: number;
}

export const PMinusQFigure: LiveFigure = ({ parameters }) => {
  const words = wordsOf(parameters["words"]);
  const first: State = {
    logits: numbersOf(parameters["logits"]),
    expected: Number(parameters["expected"]),
    smoothing: Number(parameters["smoothing"]),
  };
  const state = useSignal(first);
  const group = useUniqueId();
  const change = (changed: Partial<State>) => (state.value = { ...state.value, ...changed });
  const { logits, expected, smoothing } = state.value;
  const row = lossOf(logits, expected, smoothing);
  // The order does not change while you edit: the tokens that the chapter's model finds most likely come first.
  const order = first.logits.map((_, v) => v).sort((a, b) => first.logits[b]! - first.logits[a]!);
  return (
    <LiveFrame
      name="p-minus-q-figure"
      title="Change a logit, or what is expected"
      about="These are all tokens of the vocabulary, the most likely first."
      reset={() => (state.value = first)}
    >
      <ScrollBox name="The distribution of each token">
        <table>
          <thead>
            <tr>
              {["expected", "logit", "p", "q", "p − q"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <td class="bar-cell wide-only" />
            </tr>
          </thead>
          <tbody>
            {order.map((v) => (
              <tr key={v} class={v === expected ? "chosen" : undefined}>
                <th scope="row">
                  <label class="expected">
                    <input
                      type="radio"
                      name={group}
                      checked={v === expected}
                      onChange={() => change({ expected: v })}
                    />
                    <bdi>{words[v]}</bdi>
                  </label>
                </th>
                <td>
                  <NumberField
                    name={`${words[v]}: logit`}
                    value={logits[v]!}
                    digits={4}
                    change={(logit) => change({ logits: logits.with(v, logit) })}
                  />
                </td>
                <td class="number">
                  {fixed(row.p[v]!)}
                  <ShareBar value={row.p[v]!} />
                </td>
                <td class="number">{fixed(row.q[v]!)}</td>
                <td class="number">{fixed(row.gradient[v]!)}</td>
                <td class="bar-cell wide-only">
                  <SignedBar value={row.gradient[v]!} most={1} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <div class="actions">
        <label>
          label smoothing
          <input
            type="range"
            min="0"
            max="0.5"
            step="0.01"
            value={smoothing}
            onInput={({ currentTarget }) => change({ smoothing: currentTarget.valueAsNumber })}
          />
          <span class="number">{smoothing.toFixed(2)}</span>
        </label>
        <button type="button" onClick={() => change({ logits: logits.map((logit, v) => logit - row.gradient[v]!) })}>
          Subtract p − q from the logits
        </button>
      </div>
      <p class="explained" aria-live="polite">
        {explanation(words, state.value, row.loss, row.crossEntropy, row.gradient, Number(parameters["tokens"]))}
      </p>
    </LiveFrame>
  );
};

function explanation(
  words: string[],
  { expected, smoothing }: State,
  loss: number,
  crossEntropy: number,
  gradient: number[],
  tokens: number,
): string {
  const smoothed = smoothing > 0 ? ` The loss with smoothing is ${fixed(loss)}.` : "";
  return (
    `−log p of “${words[expected]}” = ${fixed(crossEntropy)}.${smoothed} The row of p − q adds up to ` +
    `${fixed(gradient.reduce((a, b) => a + b, 0))}. In a batch of ${tokens} tokens, the gradient of the logit of ` +
    `“${words[expected]}” is ${fixed(gradient[expected]!)} / ${tokens} = ${fixed(gradient[expected]! / tokens)}.`
  );
}

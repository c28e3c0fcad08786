// Chapter 9: logits, the expected token and label smoothing to edit; p, q and p - q follow.
import { useSignal } from "@preact/signals";
import type { Column } from "../base/tables";
import { useUniqueId } from "../base/unique_id";
import { lossOf, type LossRow } from "./arithmetic/cross_entropy";
import { fixed, LiveFrame, ShareBar, SignedBar } from "./live_frame";
import { LiveTable } from "./live_table";
import { NumberField } from "./number_field";
import { numbersOf, wordsOf, type LiveFigure } from "./slots";
import "./p_minus_q_figure.css";

interface State {
  logits: number[];
  expected: number;
  smoothing: number;
}

type Change = (changed: Partial<State>) => void;

const COLUMNS: Column[] = [
  { title: "expected" },
  { title: "logit" },
  { title: "p" },
  { title: "q" },
  { title: "p − q" },
  { class: "bar-cell wide-only" },
];

export const PMinusQFigure: LiveFigure = ({ parameters }) => {
  const words = wordsOf(parameters["words"]);
  const first: State = {
    logits: numbersOf(parameters["logits"]),
    expected: Number(parameters["expected"]),
    smoothing: Number(parameters["smoothing"]),
  };
  const state = useSignal(first);
  const group = useUniqueId();
  const change: Change = (changed) => (state.value = { ...state.value, ...changed });
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
      <LiveTable name="The distribution of each token" columns={COLUMNS}>
        {order.map((v) => (
          <TokenRow key={v} word={words[v]!} state={state.value} {...{ v, group, row, change }} />
        ))}
      </LiveTable>
      <div class="actions">
        <SmoothingSlider smoothing={smoothing} change={change} />
        <button type="button" onClick={() => change({ logits: logits.map((logit, v) => logit - row.gradient[v]!) })}>
          Subtract p − q from the logits
        </button>
      </div>
      <p class="explained" aria-live="polite">
        {explanation(words, expected, smoothing, row, Number(parameters["tokens"]))}
      </p>
    </LiveFrame>
  );
};

interface TokenRowProps {
  v: number; // the token's place in the vocabulary
  word: string;
  state: State;
  row: LossRow;
  group: string; // of the radio buttons
  change: Change;
}

function TokenRow({ v, word, state: { logits, expected }, row, group, change }: TokenRowProps) {
  return (
    <tr class={v === expected ? "chosen" : undefined}>
      <th scope="row">
        <label class="expected">
          <input type="radio" name={group} checked={v === expected} onChange={() => change({ expected: v })} />
          <bdi>{word}</bdi>
        </label>
      </th>
      <td>
        <NumberField
          name={`${word}: logit`}
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
  );
}

const SmoothingSlider = ({ smoothing, change }: { smoothing: number; change: Change }) => (
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
);

function explanation(
  words: string[],
  expected: number,
  smoothing: number,
  { loss, crossEntropy, gradient }: LossRow,
  tokens: number,
): string {
  const smoothed = smoothing > 0 ? ` The loss with smoothing is ${fixed(loss)}.` : "";
  return (
    `−log p of “${words[expected]}” = ${fixed(crossEntropy)}.${smoothed} The row of p − q adds up to ` +
    `${fixed(gradient.reduce((a, b) => a + b, 0))}. In a batch of ${tokens} tokens, the gradient of the logit of ` +
    `“${words[expected]}” is ${fixed(gradient[expected]!)} / ${tokens} = ${fixed(gradient[expected]! / tokens)}.`
  );
}

// Chapter 4: the gradient of softmax for a few keys, as rows and as the Jacobian.
import { useSignal, type Signal } from "@preact/signals";
import { type Column, ScrollBox } from "../base/tables";
import { softmaxGradient, type GradientRow } from "./arithmetic/softmax_gradient";
import { fixed, LiveFrame, SignedBar } from "./live_frame";
import { ChosenRow, LiveTable } from "./live_table";
import { NumberField } from "./number_field";
import { numbersOf, type LiveFigure } from "./slots";
import "./softmax_gradient_figure.css";

interface State {
  scores: number[];
  dWeights: number[];
}

const COLUMNS: Column[] = [
  { title: "key" },
  { title: "score", class: "number" },
  { title: "weight", class: "number" },
  { title: "d_weight", class: "number" },
  { title: "d_score", class: "number" },
  { class: "bar-cell wide-only" },
  { title: "difference", class: "number" },
];

export const SoftmaxGradientFigure: LiveFigure = ({ parameters }) => {
  const first: State = { scores: numbersOf(parameters["scores"]), dWeights: numbersOf(parameters["d_weights"]) };
  const state = useSignal(first);
  const chosen = useSignal(1);
  const { scores, dWeights } = state.value;
  const row = softmaxGradient(scores, dWeights);
  return (
    <LiveFrame
      name="softmax-gradient-figure"
      title="Change a score or a d_weight"
      about="The last column is a finite difference: it moves the score up and down by 0.00001, and must agree with d_score."
      reset={() => (state.value = first)}
    >
      <LiveTable name="Scores, weights and their gradients" columns={COLUMNS}>
        {scores.map((_, place) => (
          <KeyRow key={place} {...{ place, state, chosen, row }} />
        ))}
      </LiveTable>
      <Jacobian row={row} chosen={chosen.value} />
      <p class="explained" aria-live="polite">
        {explanation(row, dWeights, chosen.value)}
      </p>
    </LiveFrame>
  );
};

interface KeyRowProps {
  place: number; // of the key
  state: Signal<State>;
  chosen: Signal<number>;
  row: GradientRow;
}

function KeyRow({ place, state, chosen, row }: KeyRowProps) {
  const { scores, dWeights } = state.value;
  const change = (changed: Partial<State>) => (state.value = { ...state.value, ...changed });
  const most = Math.max(...row.dScores.map(Math.abs), 1e-9);
  return (
    <ChosenRow place={place} chosen={chosen}>
      <th scope="row">{place}</th>
      <td class="number">
        <NumberField
          name={`key ${place}: score`}
          value={scores[place]!}
          digits={3}
          change={(score) => change({ scores: scores.with(place, score) })}
        />
      </td>
      <td class="number">{fixed(row.weights[place]!, 2)}</td>
      <td class="number">
        <NumberField
          name={`key ${place}: d_weight`}
          value={dWeights[place]!}
          digits={2}
          change={(dWeight) => change({ dWeights: dWeights.with(place, dWeight) })}
        />
      </td>
      <td class="number">{fixed(row.dScores[place]!, 2)}</td>
      <td class="bar-cell wide-only">
        <SignedBar value={row.dScores[place]!} most={most} />
      </td>
      <td class="number">{fixed(row.slopes[place]!, 6)}</td>
    </ChosenRow>
  );
}

/// A column for each score: what it does to all weights.
function Jacobian({ row, chosen }: { row: GradientRow; chosen: number }) {
  return (
    <ScrollBox name="The Jacobian">
      <table class="jacobian">
        <thead>
          <tr>
            <th scope="col">change of</th>
            {row.weights.map((_, j) => (
              <th key={j} scope="col" class={j === chosen ? "number chosen" : "number"}>
                by score {j}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row.jacobian.map((changes, k) => (
            <tr key={k}>
              <th scope="row">weight {k}</th>
              {changes.map((change, j) => (
                <td key={j} class={j === chosen ? "number chosen" : "number"}>
                  {fixed(change, 2)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

const bracketed = (number: number): string => (number < 0 ? `(${fixed(number, 2)})` : fixed(number, 2));

/// Both ways to d_score, in these digits.
function explanation({ weights, mean, jacobian, dScores }: GradientRow, dWeights: number[], j: number): string {
  const terms = dWeights.map((d, k) => `${bracketed(d)} · ${bracketed(jacobian[k]![j]!)}`).join(" + ");
  const short = `${fixed(weights[j]!, 2)} · (${fixed(dWeights[j]!, 2)} − ${bracketed(mean)})`;
  return (
    `d_score of key ${j} = ${terms} = ${fixed(dScores[j]!, 2)}. Without the Jacobian: m = ${fixed(mean, 2)}, ` +
    `and ${short} = ${fixed(dScores[j]!, 2)}. All d_scores add up to ${fixed(
      dScores.reduce((a, b) => a + b, 0),
      2,
    )}.`
  );
}

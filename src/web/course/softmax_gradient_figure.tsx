// Chapter 4: the gradient of softmax for a few keys, as rows and as the Jacobian.
import { useSignal } from "@preact/signals";
import { ScrollBox } from "../base/tables";
import { softmaxGradient, type GradientRow } from "./arithmetic/softmax_gradient";
import { fixed, LiveFrame, SignedBar } from "./live_frame";
import { NumberField } from "./number_field";
import { numbersOf, type LiveFigure } from "./slots";
import "./softmax_gradient_figure.css";

export const SoftmaxGradientFigure: LiveFigure = ({ parameters }) => {
  const first = { scores: numbersOf(parameters["scores"]), dWeights: numbersOf(parameters["d_weights"]) };
  const state = useSignal(first);
  const chosen = useSignal(1);
  const { scores, dWeights } = state.value;
  const row = softmaxGradient(scores, dWeights);
  const most = Math.max(...row.dScores.map(Math.abs), 1e-9);
  return (
    <LiveFrame
      name="softmax-gradient-figure"
      title="Change a score or a d_weight"
      about="The last column is a finite difference: it moves the score up and down by 0.00001, and must agree with d_score."
      reset={() => (state.value = first)}
    >
      <ScrollBox name="Scores, weights and their gradients">
        <table>
          <thead>
            <tr>
              {["key", "score", "weight", "d_weight", "d_score"].map((title, i) => (
                <th key={title} scope="col" class={i > 0 ? "number" : undefined}>
                  {title}
                </th>
              ))}
              <td class="bar-cell wide-only" />
              <th scope="col" class="number">
                difference
              </th>
            </tr>
          </thead>
          <tbody>
            {scores.map((score, key) => (
              <tr
                key={key}
                class={key === chosen.value ? "chosen" : undefined}
                onPointerEnter={() => (chosen.value = key)}
                onFocusIn={() => (chosen.value = key)}
              >
                <th scope="row">{key}</th>
                <td class="number">
                  <NumberField
                    name={`key ${key}: score`}
                    value={score}
                    digits={3}
                    change={(number) => (state.value = { scores: scores.with(key, number), dWeights })}
                  />
                </td>
                <td class="number">{fixed(row.weights[key]!, 2)}</td>
                <td class="number">
                  <NumberField
                    name={`key ${key}: d_weight`}
                    value={dWeights[key]!}
                    digits={2}
                    change={(number) => (state.value = { scores, dWeights: dWeights.with(key, number) })}
                  />
                </td>
                <td class="number">{fixed(row.dScores[key]!, 2)}</td>
                <td class="bar-cell wide-only">
                  <SignedBar value={row.dScores[key]!} most={most} />
                </td>
                <td class="number">{fixed(row.slopes[key]!, 6)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <Jacobian row={row} chosen={chosen.value} />
      <p class="explained" aria-live="polite">
        {explanation(row, dWeights, chosen.value)}
      </p>
    </LiveFrame>
  );
};

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

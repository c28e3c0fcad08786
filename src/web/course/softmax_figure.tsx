// Chapter 3: scores and a mask to edit, and the weights that follow.
import { useSignal } from "@preact/signals";
import { Chooser } from "../base/chooser";
import { ScrollBox } from "../base/tables";
import { maskedSoftmax, type SoftmaxRow, type Way } from "./arithmetic/softmax";
import { fixed, LiveFrame, ShareBar } from "./live_frame";
import { NumberField } from "./number_field";
import { numbersOf, wordsOf, type LiveFigure } from "./slots";
import "./softmax_figure.css";

const WAYS: { value: Way; text: string; about: string }[] = [
  { value: "right", text: "correctly", about: "Blocked scores become −∞, and the largest score is subtracted." },
  { value: "no_mask", text: "without the mask", about: "The mask is forgotten: blocked keys get weight, too." },
  {
    value: "large_number",
    text: "with −1e9",
    about: "1e9 is subtracted from blocked scores. That works unless every key is blocked.",
  },
  {
    value: "not_subtracted",
    text: "without subtracting",
    about: "The largest score is not subtracted. A float overflows above e^88.",
  },
  {
    value: "mask_afterwards",
    text: "with the mask afterwards",
    about: "The softmax includes all keys. Then blocked weights become 0, and the row is divided by its new sum.",
  },
];

export const SoftmaxFigure: LiveFigure = ({ parameters }) => {
  const words = wordsOf(parameters["words"]);
  const firstScores = numbersOf(parameters["scores"]);
  const firstBlocked = numbersOf(parameters["blocked"]).map((cell) => cell === 1);
  const scores = useSignal(firstScores);
  const blocked = useSignal(firstBlocked);
  const way = useSignal<Way>("right");
  const chosen = useSignal(1);
  const row = maskedSoftmax(scores.value, blocked.value, way.value);
  const setScore = (key: number, score: number) => (scores.value = scores.value.with(key, score));
  const reset = () => {
    scores.value = firstScores;
    blocked.value = firstBlocked;
    way.value = "right";
  };
  return (
    <LiveFrame
      name="softmax-figure"
      title="Change a score, block a key"
      about="The scores are those above. The numbers are computed in single precision, as in the program."
      reset={reset}
    >
      <Chooser legend="Compute it" options={WAYS} chosen={way.value} choose={(value) => (way.value = value)} />
      <p class="note">{WAYS.find(({ value }) => value === way.value)!.about}</p>
      <ScrollBox name="Scores and weights">
        <table>
          <thead>
            <tr>
              <th scope="col">key</th>
              <th scope="col">blocked</th>
              <th scope="col" class="number">
                score
              </th>
              <th scope="col" class="number wide-only">
                power
              </th>
              <th scope="col" class="number">
                weight
              </th>
              <td class="bar-cell" />
            </tr>
          </thead>
          <tbody>
            {words.map((word, key) => (
              <tr
                key={key}
                class={key === chosen.value ? "chosen" : undefined}
                onPointerEnter={() => (chosen.value = key)}
                onFocusIn={() => (chosen.value = key)}
              >
                <th scope="row">
                  <bdi>{word}</bdi>
                </th>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${word}, key ${key}: blocked`}
                    checked={blocked.value[key]}
                    onChange={() => (blocked.value = blocked.value.with(key, !blocked.value[key]))}
                  />
                </td>
                <td class="number">
                  <NumberField
                    name={`${word}, key ${key}: score`}
                    value={scores.value[key]!}
                    digits={4}
                    change={(score) => setScore(key, score)}
                  />
                </td>
                <td class="number wide-only">{fixed(row.powers[key]!)}</td>
                <td class="number">{fixed(row.weights[key]!)}</td>
                <td class="bar-cell">
                  <ShareBar value={row.weights[key]!} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p class="explained" aria-live="polite">
        {explanation(words, scores.value, row, chosen.value, way.value)}
      </p>
      <div class="actions">
        <button type="button" onClick={() => (scores.value = scores.value.map((score) => score + 800))}>
          Add 800 to every score
        </button>
        <button type="button" onClick={() => (blocked.value = blocked.value.map(() => true))}>
          Block every key
        </button>
      </div>
    </LiveFrame>
  );
};

/// Where the chosen weight comes from, in these digits.
function explanation(words: string[], scores: number[], row: SoftmaxRow, key: number, way: Way): string {
  const { largest, powers, sum, weights } = row;
  const of = `The weight of “${words[key]}”`;
  const total = `All weights add up to ${fixed(weights.reduce((a, b) => a + b, 0))}.`;
  if (way === "mask_afterwards") return `${of} is ${fixed(weights[key]!)}. ${total}`;
  if (sum === 0 && way === "right")
    return `No key is visible. The sum is 0, so the program does not divide by it. ${total}`;
  const exponent = way === "not_subtracted" ? fixed(scores[key]!) : `${fixed(scores[key]!)} − ${signed(largest)}`;
  const isPower = powers[key] !== 0 && way !== "large_number";
  const top = isPower ? `exp(${exponent}) / sum = ` : "";
  return `${of} = ${top}${fixed(powers[key]!)} / ${fixed(sum)} = ${fixed(weights[key]!)}. ${total}`;
}

const signed = (number: number): string => (number < 0 ? `(${fixed(number)})` : fixed(number));

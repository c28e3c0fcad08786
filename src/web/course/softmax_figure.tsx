// Chapter 3: scores and a mask to edit, and the weights that follow.
import { useSignal, type Signal } from "@preact/signals";
import type { Column } from "../base/tables";
import { Chooser } from "../base/chooser";
import { maskedSoftmax, type SoftmaxRow, type Way } from "./arithmetic/softmax";
import { fixed, LiveFrame, ShareBar } from "./live_frame";
import { ChosenRow, LiveTable } from "./live_table";
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

const COLUMNS: Column[] = [
  { title: "key" },
  { title: "blocked" },
  { title: "score", class: "number" },
  { title: "power", class: "number wide-only" },
  { title: "weight", class: "number" },
  { class: "bar-cell" },
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
      <LiveTable name="Scores and weights" columns={COLUMNS}>
        {words.map((word, place) => (
          <KeyRow key={place} {...{ word, place, scores, blocked, chosen, row }} />
        ))}
      </LiveTable>
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

interface KeyRowProps {
  word: string;
  place: number; // of the key
  scores: Signal<number[]>;
  blocked: Signal<boolean[]>;
  chosen: Signal<number>;
  row: SoftmaxRow;
}

function KeyRow({ word, place, scores, blocked, chosen, row }: KeyRowProps) {
  const name = `${word}, key ${place}`;
  return (
    <ChosenRow place={place} chosen={chosen}>
      <th scope="row">
        <bdi>{word}</bdi>
      </th>
      <td>
        <input
          type="checkbox"
          aria-label={`${name}: blocked`}
          checked={blocked.value[place]}
          onChange={() => (blocked.value = blocked.value.with(place, !blocked.value[place]))}
        />
      </td>
      <td class="number">
        <NumberField
          name={`${name}: score`}
          value={scores.value[place]!}
          digits={4}
          change={(score) => (scores.value = scores.value.with(place, score))}
        />
      </td>
      <td class="number wide-only">{fixed(row.powers[place]!)}</td>
      <td class="number">{fixed(row.weights[place]!)}</td>
      <td class="bar-cell">
        <ShareBar value={row.weights[place]!} />
      </td>
    </ChosenRow>
  );
}

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

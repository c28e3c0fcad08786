// What is translated, and how.
import { useSignal } from "@preact/signals";
import { Chooser } from "../base/chooser";
import { formatNumber, range } from "../base/numbers";
import { pairs } from "./pass_state";
import { beam, early, MOST_BEAM, MOST_PENALTY, ownSentence, pairChosen, penalty } from "./search_state";

const OWN = -1;
const PENALTY_STEP = 0.05;

export function SearchControls() {
  const chosen = pairChosen.value === null ? OWN : Math.min(pairChosen.value, pairs.value.length - 1);
  const options = pairs.value.map(({ source }, value) => ({ value, text: source }));
  return (
    <div class="search-controls">
      <Chooser
        legend="Sentence"
        options={[...options, { value: OWN, text: "your own" }]}
        chosen={chosen}
        choose={(value) => (pairChosen.value = value === OWN ? null : value)}
      />
      {chosen === OWN && <OwnSentence />}
      <Chooser
        legend="Beam"
        options={range(MOST_BEAM).map((i) => ({ value: i + 1, text: i ? String(i + 1) : "1 (greedy)" }))}
        chosen={beam.value}
        choose={(value) => (beam.value = value)}
      />
      <label class="penalty">
        Length penalty{" "}
        <input
          type="range"
          min={0}
          max={MOST_PENALTY}
          step={PENALTY_STEP}
          value={penalty.value}
          onInput={(event) => (penalty.value = Number(event.currentTarget.value))}
        />{" "}
        <span class="number">{formatNumber(penalty.value)}</span>
      </label>
      <label>
        <input
          type="checkbox"
          checked={early.value}
          onChange={(event) => (early.value = event.currentTarget.checked)}
        />{" "}
        Early stopping: end as soon as {beam.value === 1 ? "one translation is" : `${beam.value} translations are`}{" "}
        finished
      </label>
    </div>
  );
}

function OwnSentence() {
  const draft = useSignal(ownSentence.value);
  return (
    <form
      class="own-sentence"
      onSubmit={(event) => {
        event.preventDefault();
        ownSentence.value = draft.value.trim();
      }}
    >
      <label>
        Source sentence{" "}
        <input
          type="text"
          maxLength={600}
          value={draft.value}
          dir="auto"
          onInput={(event) => (draft.value = event.currentTarget.value)}
        />
      </label>{" "}
      <button type="submit">Translate</button>
    </form>
  );
}

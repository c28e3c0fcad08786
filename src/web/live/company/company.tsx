// The lesson about padding: the same sentence alone, in company with the padding masks, and in company without them.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { formatNumber, percent, plural } from "../../base/numbers";
import { ATTENTION_KINDS, KINDS } from "../../trace/names";
import { generation, text } from "../engine_state";
import { headsOff, pairs } from "../pass_state";
import { position, running, stop, train } from "../training_state";
import { TrainedSnapshot, TrainingProgress } from "../training_help";
import { CompanyAnswers } from "./company_answers";
import { CompanyAttention } from "./company_attention";
import { changedPredictions, lossDifference, type CompanyPasses } from "./company_passes";
import { comparePasses, forgetPasses, passes } from "./company_state";
import { companyLengths, companyOf, lengthOf } from "./company_text";
import "./company.css";

const DEBOUNCE = 150; // milliseconds
const FIRST_TRAINING = 200; // updates

export function Company({ sentence }: { sentence: number }) {
  const pair = pairs.value[Math.min(sentence, pairs.value.length - 1)]!;
  const { least, most, first } = companyLengths(pair);
  const choice = useSignal<number | null>(null);
  const length = Math.max(least, Math.min(most, choice.value ?? first));
  const [now, model, trains, off] = [position.value, generation.value, running.value, headsOff.value];
  useEffect(() => {
    if (trains) return;
    const timer = setTimeout(() => void comparePasses(pair, companyOf(text.peek(), length)), DEBOUNCE);
    return () => clearTimeout(timer);
  }, [pair.source, pair.target, length, trains || now, model, off]);
  useEffect(() => forgetPasses, []);
  return (
    <section class="company">
      <h3>The same sentence, alone and in company</h3>
      <p>
        What the model makes of a sentence must not depend on the rest of the batch. A longer sentence beside it adds
        padding, and the padding masks hide it. <b>Compare the sentence with itself</b>, not the losses of batches: with
        the masks, its numbers are those it has alone (at most the last digits are rounded differently); without them,
        padding takes a share of its attention, and its predictions depend on the rest of the batch.
      </p>
      <TrainFirst />
      {lengthOf(pair) >= most ? (
        <p>This sentence has {plural(most, "word")}, the most that the page shows. Choose a shorter one.</p>
      ) : (
        <p class="company-length">
          <label>
            <span>Words in the other sentence: {length}</span>
            <input
              type="range"
              min={least}
              max={most}
              value={length}
              onInput={(event) => (choice.value = Number(event.currentTarget.value))}
            />
          </label>
        </p>
      )}
      {passes.value && (
        <Comparison passes={passes.value}>
          {length < most && (
            <button type="button" onClick={() => (choice.value = most)}>
              Compare beside {plural(most, "word")}
            </button>
          )}
        </Comparison>
      )}
    </section>
  );
}

/// An untrained model guesses: what padding does to its predictions says little.
function TrainFirst() {
  if (running.value) {
    return (
      <p role="status">
        Training: <TrainingProgress />. The numbers below are still those from before.{" "}
        <button type="button" onClick={stop}>
          Stop
        </button>
      </p>
    );
  }
  if (position.value > 0) return null;
  return (
    <p class="warning">
      This model has not been trained, so it only guesses, with or without padding, and its loss may even be lower
      without the masks. A trained model shows more. <TrainedSnapshot />{" "}
      <button type="button" onClick={() => void train(FIRST_TRAINING)}>
        Train {FIRST_TRAINING} updates first
      </button>
    </p>
  );
}

/// Its children are a way to more padding.
function Comparison({ passes: all, children }: { passes: CompanyPasses; children: ComponentChildren }) {
  const isSame = position.value > 0 && changedPredictions(all.unmasked, all) === 0;
  return (
    <>
      <p class="quote company-sentence">
        <bdi>{all.alone.json.sentences[0]!.source}</bdi>
      </p>
      <p role="status" class="company-verdict">
        {verdict(all)}
        {isSame && " But the most likely token is still the same at every position."}
      </p>
      {isSame && children && <p>Longer company adds more padding. {children}</p>}
      <CompanyAttention passes={all} />
      <CompanyAnswers passes={all} />
    </>
  );
}

/// What the reader should see, in the numbers of this sentence.
function verdict(all: CompanyPasses): string {
  const [masked, unmasked] = [all.masked, all.unmasked].map((trace) => lossDifference(trace, all));
  const shares = all.unmasked.own.on_padding[0]!;
  const stolen = KINDS.filter((kind) => (shares[kind] ?? 0) > 0).map(
    (kind) => `${percent(shares[kind])} of its ${ATTENTION_KINDS[kind].title.toLowerCase()}`,
  );
  const list = new Intl.ListFormat("en-GB").format(stolen);
  const means =
    stolen.length > 1 ? "each a mean over its layers, heads and words" : "a mean over layers, heads and words";
  return (
    "With the padding masks, every token of this sentence has the loss that it has alone" +
    (masked === 0 ? ", to the last bit. " : `, to within ${formatNumber(masked!, 2)}. `) +
    (stolen.length
      ? `Without them, padding takes ${list} (${means}), and the loss of a token changes by up to ${formatNumber(unmasked!, 3)}.`
      : `Without them, no word sees padding either, so nothing changes.`)
  );
}

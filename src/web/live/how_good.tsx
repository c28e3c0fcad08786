// How good is the model? It translates sentences that it is not trained on.
import { plural } from "../base/numbers";
import { start } from "./engine_state";
import {
  all,
  stopTest,
  test,
  testedHeadsOff,
  testedUpdate,
  testing,
  translated,
  type Translated,
} from "./how_good_state";
import { countOf, splitAtDifference } from "./sentence_scores";
import { TranslationTable } from "./translation_table";
import "./how_good.css";

const EXAMPLES = 8;

export function HowGood() {
  if (!start.value.test) return <p class="note">There is no test text for this model.</p>;
  return (
    <>
      <p>
        The test text has sentences that the model is not trained on. The model translates them by greedy search. An
        exact match has the same words as the expected translation.
      </p>
      <p>
        <button type="button" onClick={() => (testing.value ? stopTest() : void test())}>
          {testing.value ? "Stop" : "Translate the test text"}
        </button>{" "}
        {testing.value && (
          <progress aria-label="Sentences translated" value={translated.value.length} max={all.value || 1} />
        )}
      </p>
      {translated.value.length > 0 && <Result list={translated.value} />}
    </>
  );
}

function Result({ list }: { list: Translated[] }) {
  const right = countOf(list, (one) => one.right);
  return (
    <>
      <dl class="figures how-good" aria-live="polite">
        <div>
          <dt>
            exact match after update {testedUpdate.value}
            {testedHeadsOff.value > 0 && `, with ${plural(testedHeadsOff.value, "head")} off`}
          </dt>
          <dd class="exact-match">{((100 * right) / list.length).toFixed(1)} %</dd>
          <dd class="note">
            {right} of {list.length} {list.length < all.value && `(of ${all.value} in the text)`}
          </dd>
        </div>
      </dl>
      <Examples title="Wrong" list={list.filter((one) => !one.right)} />
      <Examples title="Right" list={list.filter((one) => one.right)} />
    </>
  );
}

function Examples({ title, list }: { title: string; list: Translated[] }) {
  if (list.length === 0) return null;
  return (
    <details open={title === "Wrong"}>
      <summary>
        {title}: {list.length}
        {list.length > EXAMPLES && `, the first ${EXAMPLES}`}
      </summary>
      <TranslationTable
        name={`${title} translations`}
        rows={list.slice(0, EXAMPLES).map(({ source, expected, own }) => ({
          source,
          expected,
          own: <OwnWords own={own} expected={expected} />,
        }))}
      />
    </details>
  );
}

/// A translation, with its first word that is not the expected one marked. What follows depends on that word.
function OwnWords({ own, expected }: { own: string; expected: string }) {
  const { before, word, after, isMissing } = splitAtDifference(own, expected);
  if (word === null && !isMissing) return <bdi>{own}</bdi>;
  return (
    <bdi>
      {before}{" "}
      <mark class="wrong-word">
        <span class="hidden">{isMissing ? "ends too early:" : "first wrong word:"}</span> {word ?? "(ends here)"}
      </mark>{" "}
      {after}
    </bdi>
  );
}

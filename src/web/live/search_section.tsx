// How the model's translation is found: greedy search and beam search as a growing tree.
import { useLayoutEffect } from "preact/hooks";
import { formatNumber, percent } from "../base/numbers";
import { SearchControls } from "./search_controls";
import { SearchFigure } from "./search_figure";
import { FinishedSoFar, FinalList } from "./search_results";
import { isShown, playing, search, selected, shownSteps, type Search } from "./search_state";
import { StepControls } from "./search_steps";
import { scoreInDigits, type SearchNode } from "./search_tree";
import { FATE_MEANINGS, FATE_TITLES, fateText } from "./search_words";
import "./search_section.css";

export function SearchSection() {
  useLayoutEffect(() => {
    isShown.value = true;
    return () => {
      isShown.value = false;
      playing.value = false;
    };
  }, []);
  const shown = search.value;
  return (
    <>
      <p class="lead">
        In training, the decoder reads the expected tokens. To translate, it must read its own. A beginning of a
        translation is called a hypothesis. <b>Greedy search</b> keeps one and takes the most likely token at every
        step. <b>Beam search</b> keeps several at a time, because a good translation may begin with a token that is not
        the most likely one.
      </p>
      <SearchControls />
      {shown ? <Shown search={shown} /> : <p role="status">The engine is searching …</p>}
    </>
  );
}

function Shown({ search }: { search: Search }) {
  const { tree, unknown, rules } = search;
  return (
    <>
      {unknown.length > 0 && (
        <p class="warning">
          The model does not know {new Intl.ListFormat("en-GB").format(unknown.map((word) => `“${word}”`))} and reads
          &lt;unk&gt; instead.
        </p>
      )}
      {tree.overflowed && <p class="warning">The model’s logits are not finite, so no token can follow.</p>}
      <h3>The search, step by step</h3>
      <p>
        {rules.beam === 1
          ? "At each step, the two most likely extensions are considered, and at most one hypothesis keeps running."
          : `At each step, the ${2 * rules.beam} best extensions of all hypotheses are considered, and at most ${rules.beam} keep running.`}{" "}
        They never add &lt;s&gt; or &lt;pad&gt;, however likely the model finds them, because no translation contains
        them. The arrow keys walk the tree.
      </p>
      <StepControls />
      <SearchFigure search={search} count={shownSteps.value} />
      <FateLegend search={search} count={shownSteps.value} />
      <output class="search-detail" aria-live="polite">
        {selected.value ? <Detail node={selected.value} search={search} /> : "Choose a token to see its numbers."}
      </output>
      <FinishedSoFar search={search} count={shownSteps.value} />
      <FinalList search={search} />
    </>
  );
}

/// What the words in the tree mean: those that it has.
function FateLegend({ search, count }: { search: Search; count: number }) {
  const shown = new Set(search.nodes.steps.slice(0, count).flatMap((nodes) => nodes.map(({ fate }) => fate)));
  const fates = (Object.keys(FATE_MEANINGS) as (keyof typeof FATE_MEANINGS)[]).filter((fate) => shown.has(fate));
  return (
    <p class="note fate-legend">
      {fates.map((fate) => (
        <span key={fate}>
          <b>{FATE_TITLES[fate]}</b>: {FATE_MEANINGS[fate]}.{" "}
        </span>
      ))}
    </p>
  );
}

function Detail({ node, search }: { node: SearchNode; search: Search }) {
  const { words, probability, log_probability: log, parent, step, score, fate } = node;
  const before = parent?.log_probability ?? 0;
  const { penalty } = search.rules;
  return (
    <>
      <p>
        Step {step}: <bdi class="quote">{words.join(" ")}</bdi> · <b>{FATE_TITLES[fate]}</b>.{" "}
        {fateText(node, search.rules)}
      </p>
      <p class="number">
        log p = {formatNumber(before, 4)} + log {formatNumber(probability, 4)} = {formatNumber(log, 4)}{" "}
        <span class="note">(the token’s probability: {percent(probability)})</span>
      </p>
      <p class="number">
        score = log p / length^penalty = {scoreInDigits(log, step, penalty, score)}{" "}
        {fate !== "finished" && <span class="note">(if it ended here)</span>}
      </p>
    </>
  );
}

// The translations that a search has finished so far, and those that it finds in the end.
import type { ComponentChildren } from "preact";
import { formatNumber } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import type { Hypothesis } from "../engine/protocol";
import type { Search } from "./search_state";
import { keptAfter, scoreInDigits } from "./search_tree";

interface Row {
  text: ComponentChildren;
  log: number;
  length: number;
  score: number;
}

function Rows({ name, rows, penalty }: { name: string; rows: Row[]; penalty: number }) {
  return (
    <ScrollBox name={name}>
      <TitledTable
        name="hypotheses"
        titles={["rank", "score", "translation", "length", "log p", "score = log p / length^penalty"]}
      >
        {rows.map(({ text, log, length, score }, i) => (
          <tr key={i}>
            <th scope="row">{i + 1}</th>
            <td class="number">{formatNumber(score, 4)}</td>
            <td>{text}</td>
            <td class="number">{length}</td>
            <td class="number">{formatNumber(log, 4)}</td>
            <td class="calculation">{scoreInDigits(log, length, penalty, score)}</td>
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}

const wordsOf = (words: string) => (words ? <bdi>{words}</bdi> : <span class="note">(no words)</span>);

export function FinishedSoFar({ search, count }: { search: Search; count: number }) {
  const { nodes, rules } = search;
  const rows = keptAfter(nodes, count, rules.beam).map(({ words, log_probability: log, step, score }) => ({
    text: wordsOf(words.slice(0, -1).join(" ")),
    log,
    length: step,
    score,
  }));
  return (
    <>
      <h3>Finished after step {count}</h3>
      {rows.length > 0 ? (
        <Rows name={`Finished after step ${count}`} rows={rows} penalty={rules.penalty} />
      ) : (
        <p>No translation is finished yet.</p>
      )}
    </>
  );
}

export function FinalList({ search }: { search: Search }) {
  const { tree, rules, greedy } = search;
  const rows = tree.found.map(({ text, finished, ids, log_probability: log, score }) => ({
    text: (
      <>
        {wordsOf(text)} {!finished && <span class="note">(cut off)</span>}
      </>
    ),
    log,
    length: ids.length + (finished ? 1 : 0),
    score,
  }));
  return (
    <>
      <h3>What the search finds</h3>
      <p>
        The length includes the end token. Each further token makes log p smaller, and the division makes up for it. So
        with a length penalty of 0, short translations climb; with 2, long ones climb, such as repetitions. In spite of
        its name, a larger penalty favours long translations.{" "}
        {rules.beam > 1 && "In a trained model, rank 1 often stays the same: look at the ranks below it."}
        {rows.some((_, i) => !tree.found[i]!.finished) &&
          ` No hypothesis ended within ${tree.limit} tokens, so these are cut off.`}
      </p>
      <Rows name="What the search finds" rows={rows} penalty={rules.penalty} />
      {rules.beam > 1 && tree.found[0] && <Comparison best={tree.found[0]} greedy={greedy} />}
    </>
  );
}

function Comparison({ best, greedy }: { best: Hypothesis; greedy: Hypothesis }) {
  const [found, greedily] = [best, greedy].map(({ score }) => formatNumber(score, 4));
  if (best.ids.join() === greedy.ids.join()) return <p>Greedy search finds the same translation.</p>;
  return (
    <p>
      Greedy search finds {wordsOf(greedy.text)} with a score of {greedily},{" "}
      {best.score > greedy.score ? "below" : "above"} {found}:{" "}
      {best.score > greedy.score ? "the beam wins." : "here the beam loses, because it dropped this one on the way."}
    </p>
  );
}

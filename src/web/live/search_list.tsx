// One step of a search as a list: each hypothesis that ran before it, and below, indented, the tokens that may follow.
import { formatNumber, percent } from "../base/numbers";
import type { FigureProps } from "./search_figure";
import { selected } from "./search_state";
import type { SearchNode } from "./search_tree";
import { FATE_TITLES } from "./search_words";

export function SearchList({ search, count, best }: FigureProps) {
  const nodes = search.nodes.steps[count - 1] ?? [];
  const parents = [...new Set(nodes.map(({ parent }) => parent))];
  return (
    <ol class="search-list">
      {parents.map((parent) => (
        <li key={parent?.row ?? 0}>
          <p class="before">
            {parent ? <bdi class="quote">{parent.words.join(" ")}</bdi> : "at the start"}
            {parent && <span class="note"> log p {formatNumber(parent.log_probability, 3)}</span>}
          </p>
          <ol onKeyDown={walk}>
            {nodes
              .filter((node) => node.parent === parent)
              .map((node) => (
                <ListedNode key={node.row} node={node} isBest={best.has(node)} />
              ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

function ListedNode({ node, isBest }: { node: SearchNode; isBest: boolean }) {
  const { text, probability, log_probability: log, score, fate } = node;
  return (
    <li>
      <button
        type="button"
        class={["search-row", fate.replace(" ", "-"), isBest ? "best" : ""].join(" ")}
        aria-pressed={selected.value === node}
        onClick={() => (selected.value = node)}
      >
        <bdi class="word">{text}</bdi>
        <span class="number">{percent(probability)}</span>
        <span class="number">
          {fate === "finished" ? `score ${formatNumber(score, 3)}` : `log p ${formatNumber(log, 3)}`}
        </span>
        <span class="fate">{FATE_TITLES[fate]}</span>
      </button>
    </li>
  );
}

/// The arrow keys move the focus up and down within the figure.
function walk(event: KeyboardEvent): void {
  const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!way) return;
  const figure = (event.currentTarget as Element).closest(".search-list")!;
  const buttons = [...figure.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + way];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

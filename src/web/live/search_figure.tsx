// A search as a tree that grows to the right, one column for each step; on a narrow screen, as an indented list of one
// step.
import { useLayoutEffect, useRef } from "preact/hooks";
import { narrowScreen } from "../base/narrow_screen";
import { formatNumber, percent } from "../base/numbers";
import { search as searchSignal, selected, type Search } from "./search_state";
import { SearchList } from "./search_list";
import { depthFirst, neighbour, nodeOf, pathOf, type SearchNode } from "./search_tree";
import { FATE_TITLES } from "./search_words";

// In rem.
const [WIDTH, HEIGHT, GAP, ROW] = [10.6, 2.8, 2.2, 3.1];
const left = (step: number) => (step - 1) * (WIDTH + GAP);

export function SearchFigure({ search, count }: { search: Search; count: number }) {
  const { nodes, tree } = search;
  const best = pathOf(tree.found[0] ? nodeOf(nodes, tree.found[0]) : null);
  if (narrowScreen.value) return <SearchList {...{ search, count, best }} />;
  return <SearchTreeFigure {...{ search, count, best }} />;
}

export interface FigureProps {
  search: Search;
  count: number;
  best: Set<SearchNode>; // the path to the best translation
}

function SearchTreeFigure({ search, count, best }: FigureProps) {
  const { nodes } = search;
  const box = useRef<HTMLDivElement>(null);
  const shown = depthFirst(nodes, count);
  const path = pathOf(selected.value);
  useLayoutEffect(() => {
    const { scrollWidth, clientWidth } = box.current!;
    if (scrollWidth > clientWidth) box.current!.scrollTo({ left: scrollWidth });
  }, [count, search]);
  const entry = selected.value ?? shown[0];
  const size = `width: ${left(count + 1) - GAP}rem; height: ${ROW * nodes.rows}rem`;
  return (
    <div class="search-tree-box" ref={box}>
      <div
        class="search-tree"
        role="tree"
        aria-label={`Hypotheses of ${count} steps`}
        style={size}
        onKeyDown={pressKey}
      >
        <Edges {...{ shown, best, path }} box={`0 0 ${left(count + 1) - GAP} ${ROW * nodes.rows}`} />
        {shown.map((node) => (
          <Node
            key={`${node.step}.${node.row}`}
            node={node}
            isBest={best.has(node)}
            isEntry={node === entry}
            isLast={node.step === count}
          />
        ))}
      </div>
    </div>
  );

  function pressKey(event: KeyboardEvent): void {
    const from = selected.value ?? shown[0];
    const next = from && neighbour(nodes, from, event.key, count);
    if (!next) return;
    event.preventDefault();
    selected.value = next;
    box.current!.querySelector<HTMLElement>(`[data-node="${next.step}.${next.row}"]`)?.focus();
  }
}

const middle = ({ row }: SearchNode) => ROW * row + HEIGHT / 2;

interface EdgesProps {
  shown: SearchNode[];
  best: Set<SearchNode>;
  path: Set<SearchNode>;
  box: string; // in rem
}

function Edges({ shown, best, path, box }: EdgesProps) {
  return (
    <svg class="search-edges" viewBox={box} aria-hidden="true">
      {shown.map((node) => {
        if (!node.parent) return null;
        const [x1, x2, y1, y2] = [left(node.step) - GAP, left(node.step), middle(node.parent), middle(node)];
        const bend = (x1 + x2) / 2;
        const name = path.has(node) ? "chosen" : best.has(node) ? "best" : node.fate === "runs" ? "runs" : "";
        return (
          <path
            key={`${node.step}.${node.row}`}
            class={name}
            d={`M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`}
          />
        );
      })}
    </svg>
  );
}

interface NodeProps {
  node: SearchNode;
  isBest: boolean;
  isEntry: boolean;
  isLast: boolean; // of the steps that are shown, so its children are not
}

function Node({ node, isBest, isEntry, isLast }: NodeProps) {
  const { step, row, text, probability, log_probability: log, score, fate, children, parent } = node;
  const siblings = parent ? parent.children : searchSignal.value!.nodes.steps[0]!;
  return (
    <div
      role="treeitem"
      class={["search-node", fate.replace(" ", "-"), isBest ? "best" : ""].join(" ")}
      style={`left: ${left(step)}rem; top: ${ROW * row}rem; width: ${WIDTH}rem; height: ${HEIGHT}rem`}
      data-node={`${step}.${row}`}
      tabIndex={isEntry ? 0 : -1}
      aria-level={step}
      aria-posinset={siblings.indexOf(node) + 1}
      aria-setsize={siblings.length}
      aria-expanded={children.length > 0 ? !isLast : undefined}
      aria-selected={selected.value === node}
      onClick={() => (selected.value = node)}
      onFocus={() => (selected.value = node)}
    >
      <bdi class="word">{text}</bdi> {parent && <span class="hidden">after {parent.words.join(" ")}</span>}{" "}
      <span class="number">{percent(probability)}</span>
      <span class="fate">{FATE_TITLES[fate]}</span>
      <span class="number">
        {fate === "finished" ? `score ${formatNumber(score, 3)}` : `log p ${formatNumber(log, 3)}`}
      </span>
    </div>
  );
}

// The hypotheses of a search as a tree, and where its nodes are drawn. Steps count from 1; the start token is step 0.
import { formatNumber } from "../base/numbers";
import type { Extension, Hypothesis, SearchTree } from "../engine/protocol";

export interface SearchNode extends Omit<Extension, "parent"> {
  step: number; // its length in tokens
  parent: SearchNode | null; // null: it extends the start token
  rank: number; // among all that the step considered, from 0: the best
  words: string[]; // all its tokens
  /// Where it is drawn: the step is the column, and no two nodes of a column have the same row.
  row: number;
  children: SearchNode[]; // from top to bottom
}

export interface SearchNodes {
  steps: SearchNode[][]; // steps[n - 1]: from top to bottom
  rows: number;
}

/// The nodes of a tree. Lines from parents to children don't cross, because the children of a higher parent are higher;
/// the children of one parent are in their order, best first.
export function searchNodes({ steps }: SearchTree): SearchNodes {
  const all: SearchNode[][] = [];
  let running: SearchNode[] = []; // in the engine's order, to which `parent` refers
  for (const extensions of steps) {
    const nodes = extensions.map(({ parent, ...extension }, rank): SearchNode => {
      const before = running[parent] ?? null;
      const words = [...(before?.words ?? []), extension.text];
      return { ...extension, step: all.length + 1, parent: before, rank, words, row: 0, children: [] };
    });
    running = nodes.filter(({ fate }) => fate === "runs");
    nodes.sort((a, b) => (a.parent?.row ?? 0) - (b.parent?.row ?? 0) || a.rank - b.rank);
    nodes.forEach((node, row) => {
      node.row = row;
      node.parent?.children.push(node);
    });
    all.push(nodes);
  }
  return { steps: all, rows: Math.max(0, ...all.map(({ length }) => length)) };
}

/// All nodes of the first `count` steps, each before its children.
export function depthFirst({ steps }: SearchNodes, count: number): SearchNode[] {
  const below = (node: SearchNode): SearchNode[] => (node.step > count ? [] : [node, ...node.children.flatMap(below)]);
  return (steps[0] ?? []).flatMap(below);
}

/// The finished hypotheses that the search has kept after `count` steps: the `beam` best, best first. Of equal ones, the
/// one that was found first is better.
export function keptAfter({ steps }: SearchNodes, count: number, beam: number): SearchNode[] {
  const finished = steps
    .slice(0, count)
    .flatMap((nodes) => [...nodes].sort((a, b) => a.rank - b.rank).filter(({ fate }) => fate === "finished"));
  return finished.sort((a, b) => b.score - a.score).slice(0, beam);
}

/// The node in which a hypothesis ends, or null. One that was cut off ends in a node that has no child.
export function nodeOf({ steps }: SearchNodes, { ids, finished }: Hypothesis): SearchNode | null {
  let level = steps[0] ?? [];
  let node: SearchNode | null = null;
  for (const id of ids) {
    node = level.find(({ token, fate }) => token === id && fate === "runs") ?? null;
    if (!node) return null;
    level = node.children;
  }
  return finished ? (level.find(({ fate }) => fate === "finished") ?? null) : node;
}

/// A node and those that it extends.
export function pathOf(node: SearchNode | null): Set<SearchNode> {
  const path = new Set<SearchNode>();
  for (let at = node; at; at = at.parent) path.add(at);
  return path;
}

/// Where an arrow key leads from a node, among the first `count` steps: to what it extends, to its best extension, or up
/// and down within its step.
export function neighbour(nodes: SearchNodes, node: SearchNode, key: string, count: number): SearchNode | null {
  const column = nodes.steps[node.step - 1]!;
  if (key === "ArrowLeft") return node.parent;
  if (key === "ArrowRight") return node.step < count ? (node.children[0] ?? null) : null;
  if (key === "ArrowUp") return column[node.row - 1] ?? null;
  if (key === "ArrowDown") return column[node.row + 1] ?? null;
  return null;
}

/// "−1.5 / 3^0.6 = −1.5 / 1.933 = −0.776". A penalty of 0 and a length of 1 divide by 1.
export function scoreInDigits(logProbability: number, length: number, penalty: number, score: number): string {
  const [log, found] = [formatNumber(logProbability, 4), formatNumber(score, 4)];
  return `${log} / ${length}^${formatNumber(penalty)} = ${log} / ${formatNumber(length ** penalty, 4)} = ${found}`;
}

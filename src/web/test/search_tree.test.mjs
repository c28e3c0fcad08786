// The tree of a search: its hypotheses are those of the program's search, and its layout has no overlaps or crossings.
import assert from "node:assert/strict";
import test from "node:test";
import { depthFirst, keptAfter, neighbour, nodeOf, pathOf, scoreInDigits, searchNodes } from "../live/search_tree.ts";
import { tinyEngine } from "./engine.mjs";

const SENTENCES = ["red green blue", "white", "black black", "nothing of this is known", ""];
const SETTINGS = [
  ...[1, 2, 4, 8].map((beam) => ({ beam, penalty: 0.6, early: false })),
  ...[1, 3].map((beam) => ({ beam, penalty: 1, early: true })),
  ...[0, 2].map((penalty) => ({ beam: 4, penalty, early: false })),
];
const valuesOf = ({ beam, penalty, early }) => ({
  "decoding.beam": String(beam),
  "decoding.length_penalty": String(penalty),
  "decoding.early_stopping": String(early),
});

const searches = [];
for (const updates of [0, 40]) {
  const engine = await tinyEngine(updates);
  for (const sentence of SENTENCES) {
    for (const rules of SETTINGS) {
      const tree = engine.search_tree(sentence, valuesOf(rules));
      const [found] = engine.translate([sentence], valuesOf(rules));
      searches.push({ name: `${updates} updates, “${sentence}”, ${JSON.stringify(rules)}`, rules, tree, found });
    }
  }
}

test("the tree finds what translate finds", () => {
  assert.equal(searches.length, 2 * SENTENCES.length * SETTINGS.length);
  for (const { name, tree, found } of searches) assert.deepEqual(tree.found, found, name);
});

test("every hypothesis that is found has a node with its numbers", () => {
  for (const { name, tree } of searches) {
    const nodes = searchNodes(tree);
    for (const hypothesis of tree.found) {
      if (hypothesis.ids.length + Number(hypothesis.finished) === 0) continue;
      const node = nodeOf(nodes, hypothesis);
      assert.ok(node, `${name}: “${hypothesis.text}” has no node`);
      assert.equal(node.log_probability, hypothesis.log_probability, name);
      assert.equal(node.score, hypothesis.score, name);
      assert.equal(pathOf(node).size, hypothesis.ids.length + Number(hypothesis.finished), name);
    }
  }
});

test("the finished hypotheses after the last step are those that are found", () => {
  let compared = 0;
  for (const { name, tree, rules } of searches) {
    if (!tree.found[0].finished) continue;
    const kept = keptAfter(searchNodes(tree), tree.steps.length, rules.beam);
    assert.deepEqual(
      kept.map(({ score }) => score),
      tree.found.map(({ score }) => score),
      name,
    );
    compared += 1;
  }
  assert.ok(compared > 20, `only ${compared} searches finished`);
});

test("a score is log p / length^penalty, and the log p of a node is that of its path", () => {
  for (const { name, tree, rules } of searches) {
    for (const node of searchNodes(tree).steps.flat()) {
      assert.ok(Math.abs(node.score - node.log_probability / node.step ** rules.penalty) < 1e-9, name);
      const before = node.parent?.log_probability ?? 0;
      assert.ok(Math.abs(before + Math.log(node.probability) - node.log_probability) < 1e-9, name);
    }
  }
  assert.equal(scoreInDigits(-1.5, 3, 0.6, -1.5 / 3 ** 0.6), "−1.5 / 3^0.6 = −1.5 / 1.933 = −0.7759");
});

test("no two nodes have the same place, and no lines cross", () => {
  for (const { name, tree } of searches) {
    const { steps, rows } = searchNodes(tree);
    for (const nodes of steps) {
      nodes.forEach((node, row) => {
        assert.equal(node.row, row, name);
        assert.ok(row < rows, name);
        const above = nodes[row - 1];
        if (above) assert.ok((above.parent?.row ?? 0) <= (node.parent?.row ?? 0), `${name}: lines cross`);
      });
    }
  }
});

test("depth first, every node comes once and after what it extends", () => {
  for (const { name, tree } of searches) {
    const nodes = searchNodes(tree);
    const order = depthFirst(nodes, tree.steps.length);
    assert.equal(new Set(order).size, nodes.steps.flat().length, name);
    order.forEach((node, i) => {
      if (node.parent) assert.ok(order.indexOf(node.parent) < i, name);
    });
    assert.deepEqual(new Set(depthFirst(nodes, 1)), new Set(nodes.steps[0]), name);
  }
});

test("arrow keys reach every node and never leave the shown steps", () => {
  for (const { name, tree } of searches.filter(({ rules }) => rules.beam > 1)) {
    const nodes = searchNodes(tree);
    const count = Math.ceil(tree.steps.length / 2);
    const reached = new Set([nodes.steps[0][0]]);
    for (const node of reached) {
      for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
        const next = neighbour(nodes, node, key, count);
        if (next) reached.add(next);
      }
    }
    assert.deepEqual(reached, new Set(nodes.steps.slice(0, count).flat()), name);
  }
});

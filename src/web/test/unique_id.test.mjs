// Components of different render roots do not share an id.
import assert from "node:assert/strict";
import test from "node:test";
import { h, render } from "preact";
import { useUniqueId } from "../base/unique_id.ts";

/// As much of a document as Preact needs.
class Node {
  childNodes = [];
  parentNode = null;
  style = {};
  constructor(name) {
    this.localName = name;
  }
  insertBefore(child, before) {
    child.parentNode?.removeChild(child);
    const place = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(place, 0, child);
    child.parentNode = this;
  }
  removeChild(child) {
    this.childNodes.splice(this.childNodes.indexOf(child), 1);
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get nextSibling() {
    const { childNodes } = this.parentNode;
    return childNodes[childNodes.indexOf(this) + 1] ?? null;
  }
  setAttribute(name, value) {
    this[name] = value;
  }
  removeAttribute(name) {
    delete this[name];
  }
}
const document = {
  createElement: (name) => new Node(name),
  createElementNS: (_, name) => new Node(name),
  createTextNode: () => new Node("#text"),
};
Node.prototype.ownerDocument = document;
globalThis.document = document;

const Field = () => h("input", { id: useUniqueId() });
const ids = (root) => root.childNodes.map(({ id }) => id);

test("ids are unique in all roots of a page, and stay the same", () => {
  const roots = [new Node("div"), new Node("div")];
  const fields = () => [h(Field, { key: "a" }), h(Field, { key: "b" })];
  for (const root of roots) render(fields(), root);
  const before = roots.flatMap(ids);
  assert.equal(before.length, 4);
  assert.equal(new Set(before).size, 4, before.join());
  for (const root of roots) render(fields(), root);
  assert.deepEqual(roots.flatMap(ids), before);
});

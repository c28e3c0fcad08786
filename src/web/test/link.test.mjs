// Links: what is written is read again, and nothing else is accepted.
import assert from "node:assert/strict";
import test from "node:test";
import { isLink, linkText, MOST, readLink } from "../live/link.ts";
import { masksFromText, masksToText } from "../live/mask_runs.ts";

const KNOWN = { starts: ["toy", "debug"], sections: ["text", "masks", "walk"], snapshots: () => [] };
const LINK = {
  start: "debug",
  text: null,
  settings: { "model.heads": "2", "training.schedule.learning_rate": "1e-3" },
  update: 50,
  pairs: [
    { source: "the dog & a cat = 50% + #1 ?", target: "</script><b>“ש”</b>" },
    { source: "", target: "x" },
  ],
  masks: null,
  headsOff: ["decoder.layers.0.encoder_attn 1"],
  section: "walk",
  step: 16,
  sentence: 1,
  questions: false,
};

function randomMasks(sentences, source, target, cell) {
  const mask = (queries, keys) => ({
    sentences,
    queries,
    keys,
    blocked: Uint8Array.from({ length: sentences * queries * keys }, cell),
  });
  return {
    encoder_padding: mask(source, source),
    decoder_combined: mask(target, target),
    cross_padding: mask(target, source),
  };
}

test("a link is read as it was written", () => {
  const masks = randomMasks(2, 5, 4, (_, i) => Number((i * 7919) % 3 === 0));
  for (const link of [LINK, { ...LINK, masks }, { ...LINK, pairs: [], update: 0, section: "text", step: 0 }]) {
    const address = linkText(link);
    assert.ok(isLink(address));
    assert.match(address, /^#[\x21-\x7e]+$/, "an address has no spaces");
    assert.deepEqual(readLink(address, KNOWN), link);
  }
});

test("a link with nothing in it is the first start", () => {
  const link = readLink("#link?", KNOWN);
  assert.deepEqual([link.start, link.update, link.pairs, link.section], ["toy", 0, [], "text"]);
  assert.ok(!isLink("#masks"));
});

test("masks survive as runs, whatever is blocked", () => {
  for (const cell of [() => 0, () => 1, (_, i) => i % 2, (_, i) => Number(i % 5 < 2)]) {
    for (const [sentences, source, target] of [
      [1, 1, 1],
      [8, 61, 61],
      [3, 9, 12],
    ]) {
      const masks = randomMasks(sentences, source, target, cell);
      assert.deepEqual(masksFromText(masksToText(masks), sentences, 62), masks);
    }
  }
});

test("damaged masks are refused", () => {
  const good = masksToText(randomMasks(2, 3, 3, (_, i) => i % 2));
  assert.ok(masksFromText(good, 2, 62));
  for (const text of [
    "",
    "x",
    "2.3.3",
    "2.3.3:",
    `${good}.1`,
    good.replace(/\.1$/, ""),
    "2.0.3:1",
    "2.zz.zz:1",
    "2.3.3:-1",
    "2.3.3:1e9",
  ]) {
    assert.equal(masksFromText(text, 2, 62), null, text);
  }
  assert.equal(masksFromText(good, 3, 62), null);
});

const words = (count) => Array(count).fill("a").join(" ");
const pair = (source, target = "b") => `pair=${encodeURIComponent(`${source}\t${target}`)}`;
const REFUSED = {
  "an unknown start": "start=nothing",
  "a prototype": "start=__proto__",
  "an unknown section": "at=%3Cimg%20src%3Dx%3E",
  "an update below 0": "update=-1",
  "an update that is too far": `update=${MOST.updates + 1}`,
  "an update that is not whole": "update=1.5",
  "an update in other digits": "update=0x10",
  "a huge update": "update=99999999999999999999",
  "a step that is no number": "step=NaN",
  "nine pairs": Array(9).fill(pair("a")).join("&"),
  "61 words": pair(words(61)),
  "too many letters": pair("a".repeat(MOST.letters + 1)),
  "a pair of one sentence": "pair=alone",
  "a pair of three": pair("a", "b%09c").replace("%2509", "%09"),
  "a line break in a sentence": pair("a\nmodel.heads: 9"),
  "a zero in a sentence": pair("a\0b"),
  "masks without pairs": "masks=1.1.1:3",
  "masks of another batch": `${pair("a")}&masks=2.1.1:6`,
  "a setting with a line break": "set=model.heads:2%0Amodel.d_ff:9",
  "a setting without a value": "set=model.heads",
  "a huge model": "set=model.d_model:1000000",
  "a huge number": "set=model.d_ff:1e9",
  "many settings": Array(MOST.settings + 1)
    .fill("set=a:1")
    .join("&"),
  "a head that is none": "off=%3Cb%3E",
  "a very long address": `x=${"a".repeat(MOST.length)}`,
};
for (const [what, query] of Object.entries(REFUSED)) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => readLink(`#link?${query}`, KNOWN),
      (problem) => problem instanceof Error && /expected/.test(problem.message),
    );
  });
}

test("60 words and eight pairs are accepted", () => {
  const link = readLink(
    `#link?${Array(8)
      .fill(pair(words(60), words(60)))
      .join("&")}`,
    KNOWN,
  );
  assert.equal(link.pairs.length, 8);
});

test("letters cut off or changed anywhere give a link or an error, nothing else", () => {
  const address = linkText({ ...LINK, masks: randomMasks(2, 3, 3, (_, i) => i % 2) });
  for (let at = 6; at < address.length; ++at) {
    for (const damaged of [address.slice(0, at), address.slice(0, at) + "%" + address.slice(at + 1)]) {
      try {
        assert.ok(readLink(damaged, KNOWN).pairs.length <= 2);
      } catch (problem) {
        assert.match(problem.message, /expected/);
      }
    }
  }
});

const ownText = (count, word = "cat") => {
  const lines = (letter) => Array.from({ length: count }, (_, i) => `${word} ${letter} & #${i} + 日本 %41\n`).join("");
  return { source: lines("a"), target: lines("b") };
};

test("own text is read as it was written, with a model of other settings and an update", () => {
  const link = { ...LINK, text: ownText(24) };
  assert.deepEqual(readLink(linkText(link), KNOWN), link);
});

test("own text that makes no model is refused", () => {
  for (const text of [ownText(2), { ...ownText(24), target: ownText(23).target }, { source: "a\n", target: "" }]) {
    assert.throws(() => readLink(linkText({ ...LINK, text }), KNOWN), /text: expected sentence pairs\. .*[^.]$/);
  }
  assert.throws(() => readLink(linkText({ ...LINK, text: ownText(1000) }), KNOWN), /at most 20000 characters/);
});

test("a link leads as far beyond a snapshot as beyond the beginning", () => {
  const known = { ...KNOWN, snapshots: (start) => (start === "toy" ? [4000, 20_000] : []) };
  const last = (query) => {
    const accepts = (update) => {
      try {
        return readLink(`#link?${query}&update=${update}`, known).update === update;
      } catch (problem) {
        assert.match(problem.message, /^update: expected a whole number from 0 to \d+$/);
        return false;
      }
    };
    return [5000, 5001, 9000, 9001, 19_999, 20_000, 25_000, 25_001].filter(accepts);
  };
  assert.deepEqual(last("start=toy"), [5000, 5001, 9000, 20_000, 25_000]);
  assert.deepEqual(last("start=debug"), [5000]);
  assert.deepEqual(last("start=toy&set=model.heads:2"), [5000], "the snapshots are of another model");
  const { source, target } = ownText(24);
  assert.deepEqual(last(`start=toy&${new URLSearchParams({ source, target })}`), [5000]);
});

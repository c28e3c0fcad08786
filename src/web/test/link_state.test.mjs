// Links that are opened: one after the other, while another is still being opened, from a page with a run, and from a
// chapter, which leaves a way back.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import "./dom.mjs";
import { chapter } from "../live/course_state.ts";
import { create, created, defaults, engine, error, run, start, startWorkers } from "../live/engine_state.ts";
import { beginWith, currentLink, goBack, linkMessage, openLink, target } from "../live/link_state.ts";
import { flip, ownMasks } from "../live/masks/mask_cells.ts";
import { headsOff, masks, pairs, showPairs, trace } from "../live/pass_state.ts";
import { section } from "../live/route.ts";
import { isShown, search } from "../live/search_state.ts";
import { STARTS, starts } from "../live/starts.ts";
import { position, running, train, updates } from "../live/training_state.ts";
import { wayBack } from "../live/way_back.ts";

const HEAD = "decoder.layers.0.encoder_attn 1";
const linkTo = (parts) => `#link?${new URLSearchParams({ start: "debug", ...parts })}`;

async function settled() {
  for (let i = 0; i < 3; ++i) await run("waiting", async () => {});
}

before(() => startWorkers(1));
beforeEach(async () => {
  linkMessage.value = null;
  headsOff.value = [];
});

const A = linkTo({ update: 400, at: "masks", pair: "she sleeps .\tsie schläft ." });
const B = linkTo({ update: 3, at: "walk", pair: "the dog sees a house .\tder hund sieht ein haus ." });

test("of two links in a row, the later one is shown", async () => {
  for (const pause of [0, 30]) {
    const first = openLink(A);
    await new Promise((resolve) => setTimeout(resolve, pause));
    const second = openLink(B);
    await Promise.all([first, second]);
    await settled();
    assert.deepEqual([position.value, section.value.id, running.value, target.value], [3, "walk", false, null]);
    assert.equal(pairs.value[0].source, "the dog sees a house .");
    assert.equal(trace.value.json.sentences[0].source, "the dog sees a house .");
    assert.deepEqual([error.value, linkMessage.value], [null, null]);
  }
});

test("a link that is followed while the page begins takes the place of what it began with", async () => {
  for (const address of ["", A]) {
    const began = beginWith(address, 0);
    await openLink(B);
    await began;
    await settled();
    assert.deepEqual([start.value.id, position.value, section.value.id], ["debug", 3, "walk"]);
  }
});

test("a damaged link changes nothing, and the page begins with its first start", async () => {
  starts.value = [STARTS[2], STARTS[0]];
  await beginWith(linkTo({ at: "nowhere" }), 4);
  assert.match(linkMessage.value, /This link is damaged/);
  assert.deepEqual([start.value.id, position.value], ["debug", 4]);
  const model = created.value;
  assert.equal(await openLink(linkTo({ off: "x 0" })), true);
  assert.equal(created.value, model);
  starts.value = STARTS;
});

test("the search of a link has its heads", async () => {
  isShown.value = true;
  await openLink(linkTo({ at: "search", off: HEAD, update: 2 }));
  await settled();
  const tree = await run("expecting", async (engine) => {
    await engine.turn_off_heads([HEAD]);
    return engine.search_tree(pairs.value[0].source, { "decoding.beam": "4", "decoding.length_penalty": "1" });
  });
  assert.deepEqual(search.value.tree, tree);
  assert.deepEqual([headsOff.value, error.value], [[HEAD], null]);
  isShown.value = false;
});

test("a link from a page with a run says that it opens only there", async () => {
  assert.ok(defaults.value.length > 0);
  const own = { ...STARTS[2], id: "run runs/mine", title: "runs/mine" };
  starts.value = [own, ...STARTS];
  await create(own);
  assert.match(currentLink().without.join(), /your run runs\/mine/);
  await create(STARTS[2]);
  assert.deepEqual(currentLink().without, []);
  starts.value = STARTS;
});

const OWN = [{ source: "she sees a dog .", target: "sie sieht" }];

/// A model of the reader's own, after some updates, with a sentence and a mask of the reader's own.
async function makeOwn() {
  await create(STARTS[1], { "model.d_ff": "32" });
  await train(3);
  showPairs(OWN);
  headsOff.value = [HEAD];
  await settled();
  masks.value = flip(ownMasks(trace.value), "decoder_combined", [0], { sentence: 0, query: 0, key: 1 }, "cell");
  await settled();
}

async function shown() {
  await settled();
  return {
    digest: await engine.value.digest(),
    pairs: trace.value.json.sentences.map(({ source }) => source),
    loss: trace.value.json.loss.mean,
    start: start.value.id,
    update: position.value,
    losses: updates.value.list.map(({ loss }) => loss),
    off: headsOff.value,
    masks: masks.value,
  };
}

test("a chapter's link scrolls to its figure, and leads back to the reader's model", async () => {
  const scrolled = [];
  globalThis.requestAnimationFrame = (frame) => setTimeout(frame, 5);
  document.querySelector = (selector) => ({ scrollIntoView: () => scrolled.push([selector, trace.value.sentences]) });
  await makeOwn();
  const before = await shown();
  for (const [at, figure] of [
    ["attention", ".attention-kind"],
    ["search", ".search-steps"],
  ]) {
    chapter.value = { page: "06_attention", heading: "" };
    assert.equal(await openLink(linkTo({ update: 4, at })), false);
    await settled();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([start.value.id, position.value, chapter.value], ["debug", 4, null]);
    assert.deepEqual(scrolled.splice(0), [[figure, 2]]);
  }
  await train(1); // of the course’s model
  await goBack();
  assert.deepEqual(await shown(), before);
  assert.deepEqual([wayBack.value, error.value, linkMessage.value], [null, null, null]);
});

test("there is no way back from a link that was not in a chapter, nor after another model was made", async () => {
  await makeOwn();
  await openLink(B);
  assert.equal(wayBack.value, null);
  chapter.value = { page: "06_attention", heading: "" };
  await openLink(linkTo({ update: 2, at: "walk" }));
  assert.equal(wayBack.value.update, 3);
  await create(STARTS[2]);
  assert.equal(wayBack.value, null);
  await goBack();
  assert.equal(start.value.id, "debug");
});

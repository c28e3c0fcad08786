// "questions=off" in the address holds for one visit; the switch in the menu is remembered.
import assert from "node:assert/strict";
import test from "node:test";

const stored = new Map();
globalThis.localStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
};
globalThis.location = new URL("file:///page.html?questions=off");
const { note, questionsOffForNow, questionsOn, resetQuestions, switchQuestions } =
  await import("../live/questions_state.ts");
const isRemembered = () => JSON.parse([...stored.values()][0]).on;

test("the address switches questions off, and this is not remembered", () => {
  assert.equal(questionsOn.value, false);
  note("none", "right"); // stores the state
  assert.equal(isRemembered(), true);
});

test("the switch in the menu is stronger, and remembered", () => {
  switchQuestions(true);
  assert.deepEqual([questionsOn.value, isRemembered()], [true, true]);
  switchQuestions(false);
  assert.deepEqual([questionsOn.value, isRemembered()], [false, false]);
  resetQuestions();
  assert.deepEqual([questionsOn.value, isRemembered()], [true, true]);
});

test("a link switches them off for now", () => {
  questionsOffForNow();
  assert.deepEqual([questionsOn.value, isRemembered()], [false, true]);
});

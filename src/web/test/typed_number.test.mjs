// What a reader may type as a number.
import assert from "node:assert/strict";
import test from "node:test";
import { typedNumber } from "../live/typed_number.ts";

test("numbers, quotients and square roots are read", () => {
  const texts = { 4: 4, "0,5": 0.5, " .5 ": 0.5, "−3": -3, "-0": 0, "1e-3": 0.001, "1/4": 0.25, "5.": 5 };
  const roots = { "√16": 4, "sqrt(16)": 4, "sqrt 16": 4, "Sqrt( 16 )": 4, "1/√16": 0.25, "-√16": -4, "√6,25": 2.5 };
  for (const [text, number] of Object.entries({ ...texts, ...roots })) assert.equal(typedNumber(text), number, text);
});

test("anything else is not a number", () => {
  for (const text of ["", " ", "four", "√", "sqrt", "√-4", "4 heads", "1/0", "1e999", "1.2.3", "0x10", "Infinity"])
    assert.equal(typedNumber(text), null, text);
});

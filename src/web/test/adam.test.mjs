import assert from "node:assert/strict";
import { test } from "node:test";
import { isForMuon, optimizerValues, sharedNumbers, updateWeight } from "../live/adam";
import { ADAM_LINES, findLines, MUON_LINES } from "../live/optimizer_lines";
import { debugModel, readProject } from "./engine.mjs";

const KINDS = {
  adam: { "training.optimizer.kind": "adam" },
  "adam with decay": { "training.optimizer.kind": "adam", "training.optimizer.weight_decay": "0.01" },
  adamw: { "training.optimizer.kind": "adamw", "training.optimizer.weight_decay": "0.05" },
  "adam without clipping": { "training.optimizer.clip_norm": "0" },
};

/// Recomputes the last update of a tensor. Returns how many weights, m and v were compared.
function compare(engine, created, tensor, updates) {
  const values = optimizerValues(Object.fromEntries(created.settings.map(({ key, value }) => [key, value])));
  const update = engine.update_numbers(tensor);
  const shared = sharedNumbers(values, update, updates);
  for (let i = 0; i < update.weights.length; ++i) {
    const { m, v, after } = updateWeight(values, shared, update, i);
    assert.deepEqual([m, v, after], [update.m[i], update.v[i], update.weights[i]], `${tensor} ${i}, update ${updates}`);
  }
  return update.weights.length;
}

for (const [name, settings] of Object.entries(KINDS)) {
  test(`${name}: every recomputed weight has the engine's bits`, async () => {
    const { engine, created } = await debugModel(settings);
    for (let updates = 1; updates <= 60; ++updates) {
      engine.step();
      let compared = 0;
      for (const { name } of created.tensors) compared += compare(engine, created, name, updates);
      assert.equal(compared, created.parameters);
    }
  });
}

test("some of these updates are clipped, some are not", async () => {
  const { engine, created } = await debugModel();
  const scales = Array.from({ length: 60 }, () => {
    engine.step();
    return engine.update_numbers(created.tensors[0].name).clip_scale;
  });
  assert.ok(scales.some((scale) => scale < 1) && scales.includes(1));
});

test("muon updates the matrices inside layers, adamw the rest", async () => {
  const { engine, created } = await debugModel({ "training.optimizer.kind": "muon" });
  const values = optimizerValues(Object.fromEntries(created.settings.map(({ key, value }) => [key, value])));
  for (let updates = 1; updates <= 3; ++updates) {
    engine.step();
    for (const { name } of created.tensors) {
      const { v } = engine.update_numbers(name);
      if (isForMuon(values, name))
        assert.ok(
          v.every((number) => number === 0),
          name,
        );
      else compare(engine, created, name, updates);
    }
  }
  assert.equal(created.tensors.filter(({ name }) => isForMuon(values, name)).length, 4 + 2 + 4 + 4 + 2);
});

test("the lines of C++ are where the page looks for them", async () => {
  const adam = await readProject("src/training/optimizer.cpp");
  for (const begin of Object.values(ADAM_LINES)) assert.doesNotThrow(() => findLines(adam, begin));
  const muon = await readProject("src/training/muon.cpp");
  for (const begin of Object.values(MUON_LINES)) assert.doesNotThrow(() => findLines(muon, begin));
  assert.throws(() => findLines(adam, "m = beta3"), /no line/);
  assert.throws(() => findLines("a;\na;", "a"), /several/);
  assert.deepEqual(findLines("x =\n  y;\n", "x ="), [1, 2]);
});

// Reduces a trace to what the tests in this directory need: no tensors, and one step of those in a row in the same part.
//
//   glassformer explain ... --json trace.json && node test/reduce_trace.mjs trace.json > test/traces/NAME.json
import { readFileSync } from "node:fs";

const { model, layer, sentences, batch, vocabulary, masks, steps, attention, loss, what_if } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);
const isNew = ({ part, direction }, i) => part !== steps[i - 1]?.part || direction !== steps[i - 1]?.direction;
const reduced = {
  model,
  layer,
  sentences,
  batch,
  vocabulary,
  masks,
  steps: steps.filter(isNew).map(({ direction, part }) => `${direction} ${part}`),
  attention: attention.map(({ part, kind, layer }) => ({ part, kind, layer })),
  loss,
  what_if: [{ reasons: what_if[0].reasons }],
};
console.log(JSON.stringify(reduced));

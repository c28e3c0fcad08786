// Reduces a trace to its masks, and to what the page needs to make them: for the test of the mask presets.
//
//   glassformer explain ... --json trace.json && node test/reduce_mask_variants.mjs trace.json > test/mask_variants/NAME.json
import { readFileSync } from "node:fs";

const { model, sentences, batch, vocabulary, masks, what_if } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const reduced = {
  model,
  sentences,
  batch,
  vocabulary: { source: [], target: vocabulary.target.slice(0, 1) },
  masks,
  steps: [],
  what_if: what_if.map(({ name, title, says, changed, masks, reasons }) => ({
    ...{ name, title, says, changed, masks },
    reasons: name === "right" ? reasons : undefined,
  })),
};
console.log(JSON.stringify(reduced));

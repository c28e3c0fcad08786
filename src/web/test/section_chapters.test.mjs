// The sections' links to chapters say what the course says.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CHAPTERS, CHAPTERS_OF } from "../live/section_chapters.ts";
import { chaptersOfStep } from "../live/step_chapters.ts";
import { Trace } from "../trace/trace.ts";
import { tinyEngine } from "./engine.mjs";

const COURSE = join(process.env.GLASSFORMER_SOURCES, "../docs/course");
const SECTIONS = "text masks walk attention answer gradient update train search break".split(" ");

test("every section has a chapter", () => {
  assert.deepEqual(Object.keys(CHAPTERS_OF), SECTIONS);
  for (const chapters of Object.values(CHAPTERS_OF)) assert.ok(chapters.length > 0);
});

test("the chapters have the numbers, titles and minutes of the course", () => {
  const table = readFileSync(join(COURSE, "README.md"), "utf8");
  assert.deepEqual(
    CHAPTERS.map(({ number }) => number),
    [...CHAPTERS.keys()],
  );
  for (const { number, title, page, minutes } of CHAPTERS) {
    const file = `${page.replaceAll("_", "-")}.md`;
    assert.ok(existsSync(join(COURSE, file)), file);
    const row = table.split("\n").find((line) => line.startsWith(`| ${number} | [${title}](${file}) |`));
    assert.ok(row, `${number} ${title} ${file}`);
    assert.match(row, new RegExp(`-->${minutes}<!--`));
  }
});

const EXPECTED = [
  ["forward", "encoder.embed_tokens", "embedded", [2]],
  ["backward", "encoder.embed_tokens", "d_table", [2]],
  ["forward", "encoder.layers.0.self_attn.qkv_proj", "y", [6, 5]],
  ["forward", "encoder.layers.0.self_attn", "products", [6]],
  ["forward", "encoder.layers.0.self_attn", "scores", [6]],
  ["forward", "decoder.layers.0.self_attn", "weights", [3, 1]],
  ["backward", "decoder.layers.0.self_attn", "d_scores", [4]],
  ["backward", "decoder.layers.0.self_attn", "d_q", [6]],
  ["forward", "encoder.layers.0.self_attn_layer_norm", "x_hat", [7]],
  ["backward", "encoder.layers.0.final_layer_norm", "d_gain", [7]],
  ["forward", "encoder.layers.0.self_attn_layer_norm.residual", "sum", [8]],
  ["forward", "encoder.layers.0.feed_forward", "activated", [5]],
  ["backward", "encoder.layers.0.feed_forward.fc1", "d_weight", [5]],
  ["forward", "decoder.layers.0.encoder_attn.kv_proj", "y", [6, 10]],
  ["backward", "decoder.layers.0.encoder_attn.kv_proj", "d_x", [10]],
  ["backward", "decoder.layers.0.encoder_attn.kv_proj", "d_weight", [5]],
  ["backward", "decoder", "d_memory", [10]],
  ["forward", "decoder.output", "y", [5, 9]],
  ["forward", "loss", "losses", [9]],
  ["backward", "loss", "d_logits", [9]],
];

test("every step of the walk has the chapters of what it computes", async () => {
  const trace = new Trace(
    (await tinyEngine(0, { "model.decoder_layers": "2" })).trace([{ source: "red", target: "red" }]),
  );
  for (const step of trace.steps) {
    const numbers = chaptersOfStep(step).map(({ number }) => number);
    assert.ok(numbers.length > 0 && !numbers.includes(0), `${step.part}: ${step.equation}`);
  }
  for (const [direction, part, output, numbers] of EXPECTED) {
    const step = trace.steps.find(
      (one) => one.direction === direction && one.part === part && trace.tensor(one.output).name === output,
    );
    assert.ok(step, `${direction} ${part} ${output}`);
    assert.deepEqual(
      chaptersOfStep(step).map(({ number }) => number),
      numbers,
      `${direction} ${part} ${output}`,
    );
  }
});

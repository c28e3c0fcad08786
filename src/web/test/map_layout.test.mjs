// Where the blocks, arrows and shapes of the map lie.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, layoutOf } from "../figures/model_map_layout";
import { shapeText } from "../figures/model_map_shapes";
import { shapeLabels, wiresOf } from "../figures/model_map_wires";
import { Trace } from "../trace/trace";
import { FILES, forEachLayout, traceOf } from "./map_traces.mjs";

/// A deep model, for which there is no trace.
const deep = (trace, layers) =>
  new Trace({ ...trace.json, model: { ...trace.json.model, encoder_layers: layers, decoder_layers: layers } });

const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function assertApart(boxes, message) {
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(i + 1)) assert(!overlap(a, b), `${message}: ${a.id ?? "a box"} and ${b.id ?? "a box"}`);
  });
}

function assertInside({ x, y, width, height }, outer, message) {
  assert(x >= 0 && y >= 0 && x + width <= outer.width && y + height <= outer.height, message);
}

test("no two blocks overlap, and all lie inside the view box, as does the legend", () => {
  forEachLayout((_, layout, where) => {
    const blocks = blocksOf(layout);
    assertApart(blocks, where);
    const others = blocks.filter(({ kind }) => !kind.startsWith("way_"));
    for (const block of others) assert(!overlap(block, layout.legend), `${where}: ${block.id} and the legend`);
    for (const box of [...blocks, ...layout.frames, layout.legend]) assertInside(box, layout, where);
  });
});

test("a frame holds the blocks of its layer and no others", () => {
  forEachLayout((_, { encoder, decoder, frames }, where) => {
    assertApart(frames, where);
    for (const group of [...encoder, ...decoder]) {
      const around = frames.filter((frame) => group.blocks.some((block) => overlap(block, frame)));
      assert.deepEqual(
        around.map(({ side, layer }) => [side, layer]),
        group.layer === undefined ? [] : [[group.side, group.layer]],
        `${where}: ${group.blocks[0].id}`,
      );
    }
  });
});

test("no shape is written over a block or another shape", () => {
  forEachLayout((trace, layout, where) => {
    const boxes = shapeLabels(layout).map(({ x, y, side, axes }) => {
      const width = 5 * shapeText(trace, axes).length; // about
      return { id: axes, x: side === "encoder" ? x - width : x, y: y - 4.5, width, height: 9 };
    });
    assertApart(boxes, where);
    for (const box of boxes) {
      for (const block of blocksOf(layout)) assert(!overlap(box, block), `${where}: ${box.id} over ${block.id}`);
    }
  });
});

test("layers lie in order, and data flow upwards", () => {
  forEachLayout((_, { encoder, decoder }, where) => {
    for (const groups of [encoder, decoder]) {
      const bottoms = groups.flatMap(({ blocks }) => blocks).map(({ y, height }) => y + height);
      assert.deepEqual(
        bottoms,
        [...bottoms].sort((a, b) => b - a),
        where,
      );
      const layers = groups.flatMap(({ blocks }) => blocks[0].parts[0]?.match(/layers\.(\d+)/)?.[1] ?? []).map(Number);
      assert.deepEqual(
        layers,
        [...layers].sort((a, b) => a - b),
        where,
      );
    }
  });
});

test("each attention has its mask beside it", () => {
  forEachLayout((_, { encoder, decoder }, where) => {
    for (const { blocks, mask } of [...encoder, ...decoder]) {
      const attention = blocks.find(({ kind }) => kind === "attention");
      assert.equal(mask?.attention, attention?.attention, where);
      if (mask) assert.equal(mask.y + mask.height / 2, attention.y + attention.height / 2, where);
    }
  });
});

test("the way back leads from the loss to both embeddings, but not to the ids", () => {
  forEachLayout((_, layout, where) => {
    const back = wiresOf(layout).filter(({ kind }) => kind === "back");
    const endsAt = ({ x, y, width }) =>
      back.some(({ tip }) => {
        const [left, top] = tip.slice(1).split("L")[0].split(" ").map(Number);
        return Math.abs(top - y) < 0.01 && left > x && left < x + width;
      });
    for (const groups of [layout.encoder, layout.decoder]) {
      assert(endsAt(groups[1].blocks.at(-1)), `${where}: the embedding`);
      assert(!endsAt(groups[0].blocks.at(-1)), `${where}: the ids`);
    }
    assert(endsAt(layout.decoder.at(-2).blocks[0]), `${where}: the softmax`);
  });
});

test("the memory feeds every cross-attention, open or folded", () => {
  forEachLayout((_, layout, where) => {
    const memory = layout.encoder.at(-1);
    const [feed] = wiresOf(layout).filter(
      ({ kind, line }) => kind === "forward" && line.startsWith(`M${memory.x + memory.width} `),
    );
    const blocks = layout.decoder.flatMap(({ blocks }) => blocks);
    const targets = blocks.filter(({ kind, attention }) => kind === "layer" || attention === "cross");
    const tips = feed.tip
      .split("Z")
      .slice(0, -1)
      .map((tip) => Number(tip.split(/[ L]/)[1]));
    assert.equal(tips.length, targets.length, where);
    targets.forEach(({ y, height }, i) => assert(tips[i] > y && tips[i] < y + height, where));
  });
});

test("many layers share blocks, so that the map stays as high", () => {
  const trace = traceOf(FILES.pre6);
  const [some, many] = [deep(trace, 14), deep(trace, 40)].map((one) => layoutOf(one, 40));
  const folded = many.decoder.flatMap(({ blocks }) => blocks).filter(({ kind }) => kind === "layer");
  assert.equal(folded.flatMap(({ parts }) => parts).length, 39);
  assert(folded.length <= 10);
  assert(many.height <= some.height);
});

test("post-norm puts the norm above its sublayer, pre-norm below it", () => {
  const kinds = (json) =>
    layoutOf(traceOf(json), 0)
      .encoder.find(({ layer }) => layer === 0)
      .blocks.map(({ kind }) => kind);
  assert.deepEqual(kinds(FILES.post1), ["attention", "norm"]);
  assert.deepEqual(kinds(FILES.pre1), ["norm", "attention", "add"]);
});

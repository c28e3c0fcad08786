// The traces of the tests of the map. reduce_trace.mjs made them.
import { openLayers } from "../figures/model_map_layers";
import { layoutOf } from "../figures/model_map_layout";
import { Trace } from "../trace/trace";
import dropout from "./traces/dropout.json";
import noMasks from "./traces/no_masks.json";
import oneLayerOf6 from "./traces/one_layer_of_6.json";
import post1 from "./traces/post_1.json";
import post2 from "./traces/post_2.json";
import post6 from "./traces/post_6.json";
import pre1 from "./traces/pre_1.json";
import pre2 from "./traces/pre_2.json";
import pre6 from "./traces/pre_6.json";

export function traceOf(json) {
  const steps = json.steps.map((step, output) => {
    const [direction, part] = step.split(" ");
    return { direction, part, output };
  });
  const own = { ...json.what_if[0], masks: json.masks };
  return new Trace({ ...json, steps, what_if: [own] });
}

export const FILES = { post1, post2, post6, pre1, pre2, pre6, dropout, noMasks, oneLayerOf6 };
export const TRACES = Object.entries(FILES).map(([name, json]) => [name, traceOf(json)]);

/// Calls `check` with the layout at each step of each trace. Steps of the same open layers have the same layout.
export function forEachLayout(check) {
  for (const [name, trace] of TRACES) {
    const seen = new Set();
    trace.steps.forEach((_, number) => {
      const key = ["encoder", "decoder"].map((side) => openLayers(trace, number, side).join()).join(" ");
      if (!seen.has(key)) check(trace, layoutOf(trace, number), `${name}, step ${number + 1}`);
      seen.add(key);
    });
  }
}

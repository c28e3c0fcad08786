// The traces that the tests read. scripts/dev/test_web.sh makes them with the program.
import { readFileSync } from "node:fs";
import { basename, delimiter } from "node:path";
import { Trace } from "../trace/trace.ts";

const paths = (process.env.GLASSFORMER_TRACES ?? "").split(delimiter).filter(Boolean);

/// A trace as the page has it if the vocabulary is large: only some tokens are shown.
export function withFewTokens({ json }) {
  const { source, target_input, target_output } = json.batch;
  const used = new Set([source, target_input, target_output].flatMap(({ ids }) => ids.flat()));
  const cut = (tensor) => {
    const axes = tensor.axes.split(", ");
    if (!axes.includes("V")) return tensor;
    const { rows, cols, numbers } = tensor.values;
    const isRow = axes[0] === "V";
    const ids = Array.from({ length: isRow ? rows : cols }, (_, id) => id).filter((id) => used.has(id) || id % 3 === 0);
    const at = isRow
      ? (i) => numbers.slice(ids[i] * cols, (ids[i] + 1) * cols)
      : (i) => ids.map((id) => numbers[i * cols + id]);
    const size = isRow ? { rows: ids.length, cols } : { rows, cols: ids.length };
    const values = { ...size, numbers: Array.from({ length: size.rows }, (_, i) => at(i)).flat() };
    return { ...tensor, ids, vocabulary: isRow ? rows : cols, values };
  };
  return new Trace({ ...json, tensors: json.tensors.map(cut) });
}

/// For `test`: skips it, with a message, if there are no traces.
export const needsTraces = paths.length ? {} : { skip: "no traces: see scripts/dev/test_web.sh" };

export const traces = paths.map((path) => ({
  name: basename(path, ".json"),
  trace: new Trace(JSON.parse(readFileSync(path, "utf8"))),
}));

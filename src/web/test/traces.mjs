// The traces that the tests read. scripts/dev/test_web.sh makes them with the program.
import { readFileSync } from "node:fs";
import { basename, delimiter } from "node:path";
import { Trace } from "../trace/trace.ts";

const paths = (process.env.GLASSFORMER_TRACES ?? "").split(delimiter).filter(Boolean);

/// For `test`: skips it, with a message, if there are no traces.
export const needsTraces = paths.length ? {} : { skip: "no traces: see scripts/dev/test_web.sh" };

export const traces = paths.map((path) => ({
  name: basename(path, ".json"),
  trace: new Trace(JSON.parse(readFileSync(path, "utf8"))),
}));

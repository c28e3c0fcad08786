// A run that came with the page: run.json, which `glassformer live RUN` writes.
import { linesOf } from "../base/lines";
import { fromBase64 } from "../base/packed_bytes";
import type { Pair, Setting, Text, Values } from "../engine/protocol";
import { shippedSnapshots, type Snapshot } from "./snapshots";
import type { Start } from "./starts";

interface RunFile extends Text {
  name: string; // what the user called it: "runs/toy"
  settings: Values; // the page's keys
  test: Text | null;
  pairs: Pair[]; // what the page shows first
  snapshots: { update: number; bytes: string }[]; // in base64; in order of their updates
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isText = (value: unknown): value is Text =>
  isObject(value) && typeof value.source === "string" && typeof value.target === "string";
const isSnapshot = (value: unknown, i: number, all: unknown[]): boolean =>
  isObject(value) &&
  typeof value.bytes === "string" &&
  Number.isInteger(value.update) &&
  (i === 0 || Number(value.update) > Number((all[i - 1] as Record<string, unknown>).update));

/// What each part of a run must be.
const PARTS: [name: string, expected: string, is: (value: unknown) => boolean][] = [
  ["name", "a name", (value) => typeof value === "string"],
  [
    "settings",
    "strings by key",
    (value) => isObject(value) && Object.values(value).every((one) => typeof one === "string"),
  ],
  ["source", "lines of text", (value) => typeof value === "string"],
  ["target", "lines of text", (value) => typeof value === "string"],
  ["test", "null or two texts", (value) => value === null || isText(value)],
  [
    "pairs",
    "one pair of sentences or more",
    (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
  ],
  ["snapshots", "snapshots in order of their updates", (value) => Array.isArray(value) && value.every(isSnapshot)],
];

/// Throws an Error that says what is wrong with it.
export function checkRun(json: unknown): RunFile {
  if (!isObject(json)) throw new Error("run.json: expected a run");
  for (const [name, expected, is] of PARTS) {
    if (!is(json[name])) throw new Error(`run.json: ${name}: expected ${expected}`);
  }
  return json as unknown as RunFile;
}

export const snapshotsOf = (run: RunFile): Snapshot[] =>
  shippedSnapshots(
    run.snapshots.map(({ update, bytes }) => ({ update, bytes: async () => fromBase64(bytes) })),
    "end of the run",
  );

const RUN = "run ";

/// The name of the run that a start with this id came with; null: it is one of the project's.
export const runName = (id: string): string | null => (id.startsWith(RUN) ? id.slice(RUN.length) : null);

/// What a reader starts from, to train the run's model again, or to go on with it.
export function startOf(run: RunFile): Start {
  const { name, settings, source, target, test, pairs } = run;
  return {
    id: RUN + name,
    title: name,
    says: `your run: ${linesOf(source).length.toLocaleString("en")} sentence pairs`,
    values: settings,
    text: async () => ({ source, target }),
    test: test && (async () => test),
    pairs,
    snapshots: snapshotsOf(run),
  };
}

const sameValue = (a: string, b: string): boolean => a === b || (a.trim() !== "" && Number(a) === Number(b));

/// Whether two configs mean the same. A key that is missing has its default.
export const sameSettings = (a: Values, b: Values, defaults: Setting[]): boolean =>
  defaults.every(({ key, value }) => sameValue(a[key] ?? value, b[key] ?? value));

const withoutEnd = (lines: string): string => lines.replace(/\n$/, "");

const sameText = (a: Text, b: Text): boolean =>
  withoutEnd(a.source) === withoutEnd(b.source) && withoutEnd(a.target) === withoutEnd(b.target);

/// Whether a model with these settings and this text is the one that a start makes.
export const isMadeFrom = async (start: Start, values: Values, text: Text, defaults: Setting[]): Promise<boolean> =>
  sameSettings(values, start.values, defaults) && sameText(text, await start.text());

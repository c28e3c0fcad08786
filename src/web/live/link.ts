// A link holds what the page shows: "#link?start=toy&update=50&at=masks&pair=...". Anyone may have written one, so
// everything in it is checked before anything is done.
import type { Masks, Pair, Text, Values } from "../engine/protocol";
import { checkLines } from "./make_model/own_pairs";
import { masksFromText, masksToText } from "./mask_runs";

export interface Link {
  start: string; // the id of what the model is made from
  text: Text | null; // what it is trained on; null: the text of the start
  settings: Values; // those that differ from the start's
  update: number;
  pairs: Pair[]; // []: those of the start
  masks: Masks | null;
  headsOff: string[];
  section: string;
  step: number; // of the walk, from 0
  sentence: number;
  questions: boolean; // whether they are asked
}

/// `updates`: after a snapshot that comes with the page, or from the beginning.
export const MOST = { pairs: 8, words: 60, letters: 600, updates: 5000, settings: 12, heads: 64, length: 20_000 };

/// A model of another size must not take all the memory of somebody's phone.
const LARGEST: Record<string, number> = {
  "model.d_model": 256,
  "model.heads": 16,
  "model.encoder_layers": 6,
  "model.decoder_layers": 6,
  "model.d_ff": 1024,
  "tokenizer.vocabulary_size": 10_000,
  "training.max_tokens": 8192,
  "training.micro_batch_tokens": 8192,
  "training.accumulation": 16,
  "training.shards": 64,
  "decoding.beam": 8,
  "decoding.max_length_ratio": 4,
};

const PREFIX = "#link?";
const SEPARATOR = "\t"; // between a pair's two sentences

export const isLink = (address: string): boolean => address.startsWith(PREFIX);

export function linkText(link: Link): string {
  const parts = new URLSearchParams({ start: link.start });
  if (link.text) {
    parts.set("source", link.text.source);
    parts.set("target", link.text.target);
  }
  for (const [key, value] of Object.entries(link.settings)) parts.append("set", `${key}:${value}`);
  if (link.update > 0) parts.set("update", String(link.update));
  for (const { source, target } of link.pairs) parts.append("pair", source + SEPARATOR + target);
  if (link.masks) parts.set("masks", masksToText(link.masks));
  for (const head of link.headsOff) parts.append("off", head);
  parts.set("at", link.section);
  if (link.section === "walk") parts.set("step", String(link.step + 1));
  if (link.sentence > 0) parts.set("sentence", String(link.sentence));
  if (!link.questions) parts.set("questions", "off");
  return PREFIX + parts;
}

export interface Known {
  starts: string[];
  sections: string[];
  snapshots(start: string): number[]; // the updates of those that come with the page
}

/// The last update to which a link may lead, if the page has snapshots of these updates.
export const farthestFor = (update: number, snapshots: number[]): number =>
  Math.max(0, ...snapshots.filter((snapshot) => snapshot <= update)) + MOST.updates;

/// Reads a link. Throws an Error that says what is wrong with it.
export function readLink(address: string, known: Known): Link {
  if (address.length > MOST.length) throw new Error(`expected at most ${MOST.length} characters`);
  const parts = new URLSearchParams(address.slice(PREFIX.length));
  const pairs = parts.getAll("pair").map(readPair);
  if (pairs.length > MOST.pairs) throw new Error(`expected at most ${MOST.pairs} pairs, found ${pairs.length}`);
  const start = oneOf(parts, "start", known.starts);
  const text = readText(parts);
  const settings = readSettings(parts.getAll("set"));
  const isOther = text !== null || Object.keys(settings).length > 0; // the start's snapshots are not of this model
  return {
    start,
    text,
    settings,
    update: readUpdate(parts, isOther ? [] : known.snapshots(start)),
    pairs,
    masks: readMasks(parts.get("masks"), pairs.length),
    headsOff: readHeads(parts.getAll("off")),
    section: oneOf(parts, "at", known.sections),
    step: wholeNumber(parts, "step", 1, 100_000) - 1,
    sentence: wholeNumber(parts, "sentence", 0, MOST.pairs - 1),
    questions: parts.get("questions") !== "off",
  };
}

function oneOf(parts: URLSearchParams, name: string, choices: string[]): string {
  const found = parts.get(name) ?? choices[0]!;
  if (!choices.includes(found)) throw new Error(`${name}: expected one of ${choices.join(", ")}`);
  return found;
}

function wholeNumber(parts: URLSearchParams, name: string, least: number, most: number): number {
  const text = parts.get(name) ?? String(least);
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < least || number > most) {
    throw new Error(`${name}: expected a whole number from ${least} to ${most}`);
  }
  return number;
}

function readUpdate(parts: URLSearchParams, snapshots: number[]): number {
  const asked = Number(parts.get("update"));
  return wholeNumber(parts, "update", 0, farthestFor(asked, snapshots));
}

function readText(parts: URLSearchParams): Text | null {
  const [source, target] = [parts.get("source"), parts.get("target")];
  if (source === null && target === null) return null;
  const { text, problems } = checkLines(source ?? "", target ?? "", Infinity);
  if (problems.length > 0) throw new Error(`text: expected sentence pairs. ${problems[0]!.replace(/\.$/, "")}`);
  return text;
}

function readPair(text: string): Pair {
  const sides = text.split(SEPARATOR);
  if (sides.length !== 2) throw new Error("pair: expected two sentences with a tab between them");
  for (const side of sides) {
    if (side.length > MOST.letters || side.split(/\s+/).length > MOST.words) {
      throw new Error(`pair: expected at most ${MOST.words} words and ${MOST.letters} characters in a sentence`);
    }
    if (/[\p{Cc}\u2028\u2029]/u.test(side)) throw new Error("pair: expected sentences without control characters");
  }
  return { source: sides[0]!, target: sides[1]! };
}

function readSettings(texts: string[]): Values {
  if (texts.length > MOST.settings) throw new Error(`set: expected at most ${MOST.settings} settings`);
  const values: Values = {};
  for (const text of texts) {
    const [, key, value] = /^([a-z][a-z0-9_.]{0,60}):([\w.+-]{1,40})$/.exec(text) ?? [];
    if (!key || !value) throw new Error("set: expected settings such as model.heads:2");
    const most = LARGEST[key] ?? 1e6;
    if (Number(value) > most) throw new Error(`${key}: expected at most ${most} in a link`);
    values[key] = value;
  }
  return values;
}

function readMasks(text: string | null, sentences: number): Masks | null {
  if (text === null) return null;
  if (sentences === 0) throw new Error("masks: expected pairs too");
  const masks = masksFromText(text, sentences, MOST.words + 2);
  if (!masks) throw new Error("masks: expected the masks of these pairs");
  return masks;
}

function readHeads(heads: string[]): string[] {
  if (heads.length > MOST.heads || heads.some((head) => !/^[a-z0-9_.]{1,60} \d{1,2}$/.test(head))) {
    throw new Error("off: expected attention heads");
  }
  return heads;
}

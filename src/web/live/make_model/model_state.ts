// What the reader enters to make a model: its text, its settings, and what the engine says about them.
import { batch, computed, signal } from "@preact/signals";
import { messageOf } from "../../base/message";
import { Refusal } from "../../engine/calls";
import type { Setting, Values } from "../../engine/protocol";
import { clearError, create, defaults, engine, error } from "../engine_state";
import { STARTS, type Start } from "../starts";
import { ownStart } from "./own_start";
import { checkLines, checkTabbed, type OwnPairs } from "./own_pairs";
import { position, running, stop } from "../training_state";
import { keyOfMessage, withValues } from "./settings_groups";

export type TextKind = "start" | "lines" | "tabs";

export const base = signal<Start>(STARTS[0]!);
export const textKind = signal<TextKind>("lines");
export const sourceLines = signal("");
export const targetLines = signal("");
export const tabbedPairs = signal("");
export const changed = signal<Values>({});
/// The values that the engine refuses by themselves, by key.
export const refusals = signal<Record<string, string>>({});
/// Why the engine refused to make the model last, and the key that this belongs to, if any.
export const refusedModel = signal<{ key: string | null; message: string } | null>(null);

/// What is wrong with a setting.
export const refusalOf = (key: string): string | undefined =>
  refusals.value[key] ?? (refusedModel.value?.key === key ? refusedModel.value.message : undefined);

export const settings = computed<Setting[]>(() => withValues(defaults.value, base.value.values, changed.value));

const maxLength = computed(() => Number(settings.value.find(({ key }) => key === "data.max_length")?.value));

/// The reader's own pairs; null: the text of the start.
export const ownPairs = computed<OwnPairs | null>(() => {
  if (textKind.value === "start") return null;
  if (textKind.value === "tabs") return checkTabbed(tabbedPairs.value, maxLength.value);
  return checkLines(sourceLines.value, targetLines.value, maxLength.value);
});

/// Whether the reader has not entered any text yet.
export const isBlank = computed(() =>
  textKind.value === "tabs" ? tabbedPairs.value === "" : sourceLines.value === "" && targetLines.value === "",
);

export function chooseBase(next: Start): void {
  batch(() => {
    base.value = next;
    changed.value = {};
    refusals.value = {};
    refusedModel.value = null;
  });
}

const refuse = (key: string, message: string | null): void => {
  const { [key]: _, ...others } = refusals.peek();
  refusals.value = message === null ? others : { ...others, [key]: message };
};

/// Changes a setting. The engine checks its value at once: it reads the settings of a search as it reads all others.
export async function changeSetting(key: string, value: string): Promise<void> {
  const { [key]: _, ...others } = changed.peek();
  const isNew = withValues(defaults.peek(), base.peek().values).some((one) => one.key === key && one.value !== value);
  changed.value = isNew ? { ...others, [key]: value } : others;
  refusedModel.value = null;
  try {
    await engine.peek()!.translate([], { [key]: value });
    refuse(key, null);
  } catch (problem) {
    refuse(key, problem instanceof Refusal ? messageOf(problem) : null);
  }
}

/// A new model discards what the old one has learned.
const mayDiscard = (): boolean =>
  position.peek() === 0 || confirm(`The model has made ${position.peek()} updates. A new model discards them. Go on?`);

async function make(from: Start, values: Values): Promise<boolean> {
  if (!mayDiscard()) return false;
  if (running.peek()) stop();
  return create(from, values);
}

export const startFrom = (from: Start): Promise<boolean> => make(from, {});

/// Makes the model. Returns whether it was made; if not, `refusedModel` says why.
export async function makeOwn(): Promise<boolean> {
  const own = ownPairs.peek();
  const from = own ? ownStart(base.peek(), own.text) : base.peek();
  refusedModel.value = null;
  if (await make(from, changed.peek())) return true;
  const message = error.peek();
  if (message === null) return false;
  clearError(); // said where the reader is
  refusedModel.value = { key: keyOfMessage(message, settings.peek()), message };
  return false;
}

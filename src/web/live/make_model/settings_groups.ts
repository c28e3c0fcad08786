// The settings of a model, by section of the config file.
import { plural } from "../../base/numbers";
import type { Setting, Values } from "../../engine/protocol";

export interface Group {
  section: string; // "training.optimizer"
  settings: Setting[];
}

/// The name of a setting in its section: "beta1".
export const nameIn = ({ section }: Group, { key }: Setting): string => key.slice(section.length + 1);

export function groupsOf(settings: Setting[]): Group[] {
  const groups: Group[] = [];
  for (const setting of settings) {
    const section = setting.key.slice(0, setting.key.lastIndexOf("."));
    const group = groups.find((other) => other.section === section);
    if (group) group.settings.push(setting);
    else groups.push({ section, settings: [setting] });
  }
  return groups;
}

const sized = (number: number): string => number.toLocaleString("en");

/// What a value must be: "an integer from 1 to 64".
export function rangeText({ kind, least, most, words }: Setting): string {
  if (kind === "number") return words ?? "a number";
  if (kind !== "integer") return "";
  return most === undefined
    ? `an integer, ${sized(least ?? 0)} or more`
    : `an integer from ${sized(least ?? 0)} to ${sized(most)}`;
}

/// The settings with the values of a config, and those that the reader has changed.
export const withValues = (defaults: Setting[], ...values: Values[]): Setting[] => {
  const all: Values = Object.assign({}, ...values);
  return defaults.map((setting) => ({ ...setting, value: all[setting.key] ?? setting.value }));
};

/// "model.heads: expected ..., found ..." -> "model.heads", if there is such a setting.
export function keyOfMessage(message: string, settings: Setting[]): string | null {
  const key = message.slice(0, Math.max(0, message.indexOf(":")));
  return settings.some((setting) => setting.key === key) ? key : null;
}

export const changesText = (count: number): string => (count > 0 ? `, ${plural(count, "change")}` : "");

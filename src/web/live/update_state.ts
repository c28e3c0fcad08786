// The tensor whose last update the page shows, the number in it, and the update.
import { computed, signal } from "@preact/signals";
import type { UpdateNumbers } from "../engine/protocol";
import { optimizerValues, sharedNumbers, updateWeight } from "./adam";
import { created, run } from "./engine_state";
import { position, skipped } from "./training_state";

const FIRST = /decoder\.layers\.0\.encoder_attn\.q_proj\.weight$/; // where two sentences meet

const wanted = signal<string | null>(null);
export const cell = signal({ row: 0, col: 0 });

export const tensors = computed(() => created.value?.tensors ?? []);
/// The chosen tensor's name.
export const tensor = computed(() => {
  const names = tensors.value.map(({ name }) => name);
  return names.find((name) => name === wanted.value) ?? names.find((name) => FIRST.test(name)) ?? names[0] ?? "";
});

export function chooseTensor(name: string): void {
  wanted.value = name;
  cell.value = { row: 0, col: 0 };
}

/// Of the last update; null if the engine has made none since the page went to where it is.
export const numbers = signal<UpdateNumbers | null>(null);
/// Whether the engine has been asked for it, and has answered.
export const isRead = signal(false);

export async function loadUpdate(): Promise<void> {
  const name = tensor.value;
  isRead.value = false;
  await run("reading the update", async (engine) => {
    const found = await engine.update_numbers(name).catch(() => null); // null: no update yet
    numbers.value = found?.number === position.peek() && position.peek() > 0 ? found : null;
  });
  isRead.value = true;
}

export const optimizer = computed(() =>
  optimizerValues(Object.fromEntries((created.value?.settings ?? []).map(({ key, value }) => [key, value]))),
);

/// How many updates there have been that were not skipped.
export const counted = computed(() => position.value - skipped.value);

/// Rows and columns of the tensor; a vector is one row.
export const sizes = computed((): [rows: number, cols: number] => {
  const shape = numbers.value?.shape ?? [1, 1];
  return shape.length === 1 ? [1, shape[0]!] : [shape[0]!, shape[1]!];
});

/// The chosen number's update, recomputed; null if there is none.
export const recomputed = computed(() => {
  const update = numbers.value;
  if (!update) return null;
  const [rows, cols] = sizes.value;
  const i = Math.min(cell.value.row, rows - 1) * cols + Math.min(cell.value.col, cols - 1);
  const shared = sharedNumbers(optimizer.value, update, counted.value);
  const weight = updateWeight(optimizer.value, shared, update, i);
  return { shared, weight, engine: { m: update.m[i]!, v: update.v[i]!, after: update.weights[i]! } };
});

// The same sentence alone and in company, with the padding masks and without: three passes, and what they have in common.
import type { Pair } from "../../engine/protocol";
import type { WorkerEngine } from "../../engine/worker_engine";
import type { Cells } from "../../trace/matrix";
import { ATTENTION_KINDS } from "../../trace/names";
import { Trace } from "../../trace/trace";
import type { AttentionJson } from "../../trace/types";
import { changedMasks, ownMasks } from "../masks/mask_cells";
import { masksFor, masksOn } from "../masks/mask_presets";

/// In all of them, sentence 0 is the one that is compared.
export interface CompanyPasses {
  alone: Trace;
  masked: Trace; // in company, with the padding masks
  unmasked: Trace; // in company, without them
}

export async function computePasses(
  engine: Pick<WorkerEngine, "trace">,
  pair: Pair,
  company: Pair,
): Promise<CompanyPasses> {
  const batch = [pair, company];
  const alone = new Trace(await engine.trace([pair]));
  const own = new Trace(await engine.trace(batch));
  const withPadding = async (isOn: boolean) => {
    const on = { ...masksOn(own), encoder_padding: isOn, target_padding: isOn, cross_padding: isOn };
    const masks = masksFor(own, on);
    return changedMasks(masks, ownMasks(own)).length ? new Trace(await engine.trace(batch, masks)) : own;
  };
  return { alone, masked: await withPadding(true), unmasked: await withPadding(false) };
}

/// The weights of a layer for sentence 0, as the mean of its heads: the words as queries and keys, and in company one
/// more column, the sum of all padded keys.
export function weightsOfWords(trace: Trace, { alone }: CompanyPasses, { kind, weights }: AttentionJson): Cells {
  const { rows, cols } = ATTENTION_KINDS[kind];
  const [queries, keys] = [alone[rows].length, alone[cols].length];
  const [allQueries, allKeys] = [trace[rows].length, trace[cols].length];
  const { heads } = trace.json.model;
  const matrix = trace.matrix(weights);
  const mean = (query: number, key: number) => {
    let sum = 0;
    for (let head = 0; head < heads; ++head) sum += matrix.at(head * allQueries + query, key);
    return sum / heads;
  };
  const onPadding = (query: number) => {
    let sum = 0;
    for (let key = keys; key < allKeys; ++key) sum += mean(query, key);
    return sum;
  };
  const at = (query: number, key: number) => (key < keys ? mean(query, key) : onPadding(query));
  return { rows: queries, cols: allKeys > keys ? keys + 1 : keys, digits: 5, at };
}

/// At how many positions the most likely token is another one than that of the sentence alone.
export const changedPredictions = (trace: Trace, { alone }: CompanyPasses): number =>
  alone.json.answer[0]!.filter(
    ({ counted, likeliest }, position) =>
      counted && likeliest[0]!.id !== trace.json.answer[0]![position]!.likeliest[0]!.id,
  ).length;

/// The largest difference of a token's loss from the sentence alone.
export function lossDifference(trace: Trace, { alone }: CompanyPasses): number {
  let loss = 0;
  alone.json.answer[0]!.forEach((answer, position) => {
    const other = trace.json.answer[0]![position]!;
    if (answer.counted) loss = Math.max(loss, Math.abs((answer.loss ?? NaN) - (other.loss ?? NaN)));
  });
  return loss;
}

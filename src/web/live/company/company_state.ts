// The passes of the sentence alone and in company that the page shows.
import { signal } from "@preact/signals";
import type { Pair } from "../../engine/protocol";
import { runShown } from "../pass_state";
import { computePasses, type CompanyPasses } from "./company_passes";

export const passes = signal<CompanyPasses | null>(null);

let wanted = 0;

/// Computes the passes again. Of several calls in a row, the last counts.
export async function comparePasses(pair: Pair, company: Pair): Promise<void> {
  const number = ++wanted;
  await runShown("comparing the sentence with itself", async (engine) => {
    if (number !== wanted) return;
    const found = await computePasses(engine, pair, company);
    if (number === wanted) passes.value = found;
  });
}

/// The page does not show them any more.
export function forgetPasses(): void {
  wanted += 1;
  passes.value = null;
}

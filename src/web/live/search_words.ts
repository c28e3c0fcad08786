// What happened to a hypothesis in a search, in words.
import { formatNumber, plural } from "../base/numbers";
import type { Extension } from "../engine/protocol";
import type { SearchNode } from "./search_tree";

export interface SearchRules {
  beam: number;
  penalty: number;
  early: boolean;
  limit: number; // the most tokens
}

export const FATE_TITLES: Record<Extension["fate"], string> = {
  runs: "running",
  finished: "finished",
  "too late": "too late",
  cut: "cut",
  hopeless: "hopeless",
};

/// What the titles mean, for the legend of the tree.
export const FATE_MEANINGS: Record<Extension["fate"], string> = {
  runs: "the next step extends it",
  finished: "it ends here, and counts as a translation",
  "too late": "it ends here, but is not among the best extensions of its step, so it does not count",
  cut: "the beam has no room for it, or it is too long",
  hopeless: "it cannot beat the finished ones any more, or the search ends early",
};

/// Why a hypothesis keeps running, or why not.
export function fateText(node: SearchNode, rules: SearchRules): string {
  const { beam, early, limit } = rules;
  const isOne = beam === 1;
  switch (node.fate) {
    case "runs":
      return `Of the extensions that do not end here, it is ${isOne ? "the best" : `among the ${beam} best`}: the next step extends it.`;
    case "finished":
      return `It ends here and is ${isOne ? "the best extension" : `among the ${beam} best extensions`} of this step.`;
    case "too late":
      return `It ends here, but ${isOne ? "a better extension" : `${beam} better extensions`} came first, so it does not count.`;
    case "cut":
      if (node.step > limit) return `It is too long: a translation may have at most ${plural(limit, "token")}.`;
      return `The beam has room for only ${isOne ? "one hypothesis" : `${beam} hypotheses`}, and ${isOne ? "a better one took it" : "better ones took it"}.`;
    case "hopeless":
      if (early) return "The beam has enough finished translations, and early stopping ends the search.";
      return `Even if all further tokens had probability 1, its score would be at most ${bound(node, rules)}. That beats none of the finished translations.`;
  }
}

/// The best score that a hypothesis could still reach: that of the longest translation, if nothing more is lost.
function bound({ log_probability: log }: SearchNode, { limit, penalty }: SearchRules): string {
  return `${formatNumber(log, 4)} / ${limit + 1}^${formatNumber(penalty)} = ${formatNumber(log / (limit + 1) ** penalty, 4)}`;
}

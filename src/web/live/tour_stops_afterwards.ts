// The stops of the tour after the pass: an update, training, search, and where to go next.
import { formatNumber } from "../base/numbers";
import type { Stop } from "./tour_stops";

export const AFTERWARDS: Stop[] = [
  {
    title: "One update",
    section: "update",
    figure: ".make-update",
    says: () =>
      "Adam does not simply subtract the gradient. It keeps two running means, m of the gradients and v of their squares, and subtracts the learning rate times m / √v (both are corrected first, because they start at 0). Make an update, and compare a weight before and after.",
  },
  {
    title: "Train it",
    section: "train",
    figure: ".curves .curve",
    says: (trace) =>
      `A model that knows nothing has a loss of ln ${trace.json.vocabulary.target.length} = ${formatNumber(Math.log(trace.json.vocabulary.target.length), 3)}. With random weights it is usually somewhat higher; in the pass shown here it is ${formatNumber(trace.json.loss.mean, 3)}. Make some updates and watch it fall, then go back to the attention weights: every figure follows.`,
  },
  {
    title: "From one token to a sentence",
    section: "search",
    figure: ".search-tree-box, .search-list",
    says: () =>
      "In translation there is no target to read, so the model reads its own tokens. A beam keeps several hypotheses at once. Choose one to see why it goes on or ends. The tables below have the translations that are finished, with their scores.",
  },
  {
    title: "Break it",
    section: "break",
    figure: ".break-choice",
    says: () =>
      "Take away a mask, the scale, the positions or the residual sums, and train. The loss may even get better, but for the wrong reason: look for the number that gives it away.",
  },
  {
    title: "The end of the tour",
    section: "break",
    says: () =>
      "You have followed one pass, forward and back. Now take any step slowly, train the model, or read in the course why it works.",
    ways: [
      { text: "Step 1 of the pass", address: "#step-1" },
      { text: "Train it", address: "#train" },
      { text: "The course", address: "#/course" },
    ],
  },
];

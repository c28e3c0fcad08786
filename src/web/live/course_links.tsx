// Figures of the course that are sections of the live page: links that open them with the chapter's own numbers.
import { listsOf, type Parameters } from "../course/slots";
import { linkText } from "./link";

/// The chapters' numbers come from configs/debug.yaml.
function addressOf(parameters: Parameters, section: string): string {
  const targets = listsOf(parameters.target);
  return linkText({
    start: "debug",
    text: null,
    settings: {},
    update: Number(parameters.updates ?? 0),
    pairs: listsOf(parameters.source).map((source, i) => ({ source, target: targets[i] ?? "" })),
    masks: null,
    headsOff: [],
    section,
    step: 0,
    sentence: Number(parameters.sentence ?? 0),
    questions: false,
  });
}

const KEPT = "It keeps your model, sentences and update, and a button there leads back to them.";

export const AttentionLink = ({ parameters }: { parameters: Parameters }) => (
  <p class="note">
    <a href={addressOf(parameters, "attention")}>See this attention live</a>: the page trains the model of this chapter
    for {parameters.updates} updates and shows its attention weights. Edit the sentences and the masks, and the weights
    follow. {KEPT}
  </p>
);

export const SearchLink = ({ parameters }: { parameters: Parameters }) => (
  <p class="note">
    <a href={addressOf(parameters, "search")}>Watch this search live</a>: the page trains the model of this chapter for{" "}
    {parameters.updates} updates. Choose a beam of {parameters.beam} there, and the tree grows step by step. {KEPT}
  </p>
);

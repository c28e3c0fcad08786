// The sections of the live page, in their order. Each has an address: "#masks".
import type { FunctionComponent } from "preact";
import { AnswerSection } from "../sections/answer_section";
import type { SectionProps } from "../sections/choices";
import { GradientSection } from "../sections/gradient_section";
import { WalkSection } from "../sections/walk_section";
import { BreakSection } from "./break_section";
import { LiveAttentionSection } from "./live_attention_section";
import { LiveMaskSection } from "./masks/live_mask_section";
import { SearchSection } from "./search_section";
import { LiveTextSection } from "./text/live_text_section";
import { TrainSection } from "./train_section";
import { UpdateSection } from "./update_section";

export interface LiveSection {
  id: string;
  short: string; // for its link
  title: string;
  View: FunctionComponent<SectionProps>;
}

export const SECTIONS: LiveSection[] = [
  { id: "text", short: "Text", title: "From text to numbers", View: LiveTextSection },
  { id: "masks", short: "Masks", title: "The three masks", View: LiveMaskSection },
  { id: "walk", short: "Steps", title: "Step by step", View: WalkSection },
  { id: "attention", short: "Attention", title: "Attention weights", View: LiveAttentionSection },
  { id: "answer", short: "Predictions", title: "Predictions and loss", View: AnswerSection },
  { id: "gradient", short: "Gradient", title: "How the gradient flows back", View: GradientSection },
  { id: "update", short: "Update", title: "How an update changes a weight", View: UpdateSection },
  { id: "train", short: "Train", title: "Train it", View: TrainSection },
  { id: "search", short: "Search", title: "How a translation is found", View: SearchSection },
  { id: "break", short: "Break it", title: "Break it, and see what each part is for", View: BreakSection },
];

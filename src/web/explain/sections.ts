// The sections of the page, in their order. Each has an address: "#masks".
import type { FunctionComponent } from "preact";
import { AnswerSection } from "../sections/answer_section";
import { AttentionSection } from "../sections/attention_section";
import type { SectionProps } from "../sections/choices";
import { GradientSection } from "../sections/gradient_section";
import { MaskSection } from "../sections/mask_section";
import { TextSection } from "../sections/text_section";
import { WalkSection } from "../sections/walk_section";
import { WhatIfSection } from "../sections/what_if_section";

export interface Section {
  id: string;
  short: string; // for its link
  title: string;
  View: FunctionComponent<SectionProps>;
}

export const SECTIONS: Section[] = [
  { id: "text", short: "Text", title: "From text to numbers", View: TextSection },
  { id: "masks", short: "Masks", title: "The three masks", View: MaskSection },
  { id: "walk", short: "Steps", title: "Step by step", View: WalkSection },
  { id: "attention", short: "Attention", title: "Attention weights", View: AttentionSection },
  { id: "answer", short: "Predictions", title: "Predictions and loss", View: AnswerSection },
  { id: "gradient", short: "Gradient", title: "How the gradient flows back", View: GradientSection },
  { id: "what-if", short: "What if", title: "What if the masks were different?", View: WhatIfSection },
];

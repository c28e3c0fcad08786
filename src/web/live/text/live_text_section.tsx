// The text in the live page: the sentences can be edited, and tokens, padding, right shift and masks follow. Below, the
// reader can make another model, from other text.
import type { SectionProps } from "../../sections/choices";
import { TextSection, type TextTools } from "../../sections/text_section";
import { traced } from "../pass_state";
import { AnotherModel } from "../make_model/another_model";
import { TextEditor } from "./text_editor";
import { readingOf } from "./text_state";
import { splitWords } from "./words";
import type { SideName } from "./limits";

/// The word at this place of the sentence that the trace shows, if the model reads <unk> instead of it.
function unknownWord(side: SideName, sentence: number, place: number): string | null {
  const shown = traced.value?.pairs[sentence]?.[side] ?? "";
  const word = splitWords(shown)[place];
  return word !== undefined && readingOf(side, shown)?.unknown.includes(word) ? word : null;
}

export function LiveTextSection(props: SectionProps) {
  const tools: TextTools = { sentences: <TextEditor />, typed: unknownWord };
  return (
    <>
      <TextSection {...props} tools={tools} />
      <AnotherModel />
    </>
  );
}

// A field for a sentence. Behind the text lies the same text with marks under the unknown words; it also gives the field
// its height.
import { oneLine } from "../../base/lines";
import { useUniqueId } from "../../base/unique_id";
import { tooLong, type SideName } from "./limits";
import { editDraft, readingOf } from "./text_state";
import { splitWords } from "./words";

interface Props {
  side: SideName;
  sentence: string;
  name: string;
  draft: number;
}

const EMPTY: Record<SideName, string> = {
  source: "Empty: the encoder reads only </s>.",
  target: "Empty: the decoder reads only <s>, and must predict </s>.",
};

export function SentenceField({ side, sentence, name, draft }: Props) {
  const id = useUniqueId();
  const unknown = new Set(readingOf(side, sentence)?.unknown);
  const problem = tooLong(sentence);
  const note = problem ?? unknownText([...unknown]) ?? (splitWords(sentence).length === 0 ? EMPTY[side] : null);
  return (
    <div class="sentence-field">
      <label for={id}>
        {side}
        <span class="hidden">: {name}</span>
      </label>
      <div class="field-stack">
        <div class="field-marks" dir="auto" aria-hidden="true">
          {marked(sentence, unknown)}
        </div>
        <textarea
          id={id}
          dir="auto"
          rows={1}
          spellcheck={false}
          autocomplete="off"
          value={sentence}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-note`}
          onInput={(event) => editDraft(draft, { [side]: oneLine(event.currentTarget.value) })}
        />
      </div>
      <p id={`${id}-note`} class={problem ? "note field-problem" : "note"} aria-live="polite">
        {note}
      </p>
    </div>
  );
}

/// The text in parts: white space, known words, and unknown words with a mark.
function marked(sentence: string, unknown: Set<string>) {
  const words = splitWords(sentence);
  const parts = [];
  let rest = sentence;
  for (const word of words) {
    const at = rest.indexOf(word);
    parts.push(rest.slice(0, at), unknown.has(word) ? <mark>{word}</mark> : word);
    rest = rest.slice(at + word.length);
  }
  return [...parts, rest, "\u200b"]; // an empty line is as high as a line
}

function unknownText(words: string[]): string | null {
  if (words.length === 0) return null;
  const quoted = words.map((word) => `“\u2068${word}\u2069”`); // isolated: a word may run from right to left
  const shown = quoted.length > 6 ? [...quoted.slice(0, 5), `${quoted.length - 5} more words`] : quoted;
  const list = new Intl.ListFormat("en-GB").format(shown);
  return words.length === 1
    ? `${list} is not in the vocabulary; the model reads <unk>.`
    : `${list} are not in the vocabulary; the model reads <unk> for each.`;
}

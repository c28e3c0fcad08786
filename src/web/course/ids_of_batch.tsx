// The sentences of one side of a batch, as ids to edit.
import { parseIds } from "./arithmetic/masks";

interface Props {
  title: string;
  words: string[];
  texts: string[];
  change: (texts: string[]) => void;
}

export function Sentences({ title, words, texts, change }: Props) {
  return (
    <div class="id-rows">
      <b>{title}</b>
      {texts.map((text, sentence) => {
        const ids = parseIds(text, words.length);
        return (
          <label key={sentence}>
            <span class="index">{sentence}</span>
            <input
              type="text"
              inputMode="numeric"
              spellcheck={false}
              aria-label={`${title}, ids of sentence ${sentence}`}
              aria-invalid={typeof ids === "string"}
              value={text}
              onInput={({ currentTarget }) => change(texts.with(sentence, currentTarget.value))}
            />
            <bdi class="note">{typeof ids === "string" ? "" : ids.map((id) => words[id]).join(" ")}</bdi>
          </label>
        );
      })}
    </div>
  );
}

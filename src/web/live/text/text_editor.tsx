// The sentences of the batch as fields: 1 to 8 pairs, which can be added, removed and moved.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { start, text } from "../engine_state";
import { MOST_PAIRS } from "./limits";
import { PairFields } from "./pair_fields";
import { examplesOf } from "./text_examples";
import { drafts, newDraft, refused, setDrafts, type Draft } from "./text_state";
import "./text_editor.css";

export function TextEditor() {
  const list = useRef<HTMLOListElement>(null);
  const focused = useSignal<string | null>(null); // a selector: where the focus goes after a pair has moved
  const said = useSignal("");
  useLayoutEffect(() => {
    if (focused.value === null) return;
    const wanted = [...list.current!.parentElement!.querySelectorAll<HTMLButtonElement>(focused.value)];
    wanted.find(({ disabled }) => !disabled)?.focus();
    focused.value = null;
  });
  const all = drafts.value;
  const move = (draft: Draft, by: number) => {
    const from = all.indexOf(draft);
    const next = all.toSpliced(from, 1).toSpliced(from + by, 0, draft);
    const wanted = `[data-draft="${draft.id}"]`;
    focused.value = by < 0 ? `${wanted} .up, ${wanted} .down` : `${wanted} .down, ${wanted} .up`;
    said.value = `Sentence ${from} is now sentence ${from + by}.`;
    setDrafts(next);
  };
  const remove = (draft: Draft) => {
    focused.value = ".add-pair";
    said.value = `Sentence ${all.indexOf(draft)} is removed.`;
    setDrafts(all.filter((other) => other !== draft));
  };
  const add = () => {
    const draft = newDraft({ source: "", target: "" });
    setDrafts([...all, draft]);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-draft="${draft.id}"] textarea`)?.focus(),
    );
  };
  return (
    <div class="text-editor">
      <ol class="pair-list" ref={list}>
        {all.map((draft, place) => (
          <PairFields
            key={draft.id}
            draft={draft}
            place={place}
            count={all.length}
            move={(by) => move(draft, by)}
            remove={() => remove(draft)}
          />
        ))}
      </ol>
      <p class="pair-list-foot">
        <button type="button" class="add-pair" disabled={all.length >= MOST_PAIRS} onClick={add}>
          Add a sentence
        </button>
        {all.length >= MOST_PAIRS && <span class="note">The page shows at most {MOST_PAIRS} sentences.</span>}
      </p>
      <Examples />
      <p class="hidden" role="status">
        {said.value}
      </p>
      {refused.value && (
        <p class="warning" role="status">
          A sentence is too long, so the page below still shows the text from before.
        </p>
      )}
    </div>
  );
}

function Examples() {
  const examples = useMemo(() => examplesOf(text.value, start.value.pairs), [text.value, start.value]);
  return (
    <p class="examples">
      <span>Examples:</span>
      {examples.map(({ title, pairs }) => (
        <button key={title} type="button" class="quiet" onClick={() => setDrafts(pairs.map(newDraft))}>
          {title}
        </button>
      ))}
    </p>
  );
}
